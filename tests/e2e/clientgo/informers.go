package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// view is one shared informer and, beside its cache, what its handler was told.
type view struct {
	kind      *kind
	informer  cache.SharedIndexInformer
	lock      sync.Mutex
	told      map[string]uint64
	events    int
	backwards int // updates to an older version
}

// informerSet watches all kinds in one way: by WatchList, or by list and watch.
type informerSet struct {
	name    string
	views   []*view
	counter counter
	cancel  context.CancelFunc
	running sync.WaitGroup
}

type listAndWatch struct{ *cache.ListWatch }

// Makes the reflector list although the feature WatchListClient is on.
func (listAndWatch) IsWatchListSemanticsUnSupported() bool { return true }

func versionOf(object any) uint64 {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return 0
	}
	version, _ := strconv.ParseUint(accessor.GetResourceVersion(), 10, 64)
	return version
}

func (v *view) tell(object any, gone bool) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
	if err != nil {
		return
	}
	v.lock.Lock()
	defer v.lock.Unlock()
	v.events++
	if gone {
		delete(v.told, key)
		return
	}
	version := versionOf(object)
	if version < v.told[key] {
		v.backwards++
	}
	v.told[key] = version
}

func startInformers(config *rest.Config, name string, watchList bool) (*informerSet, error) {
	set := &informerSet{name: name}
	config = rest.CopyConfig(config)
	config.UserAgent = "informers-" + name
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		set.counter.next = next
		set.counter.dropping.Store(name == "control")
		return &set.counter
	})
	clients, err := newClients(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	set.cancel = cancel
	for i := range kinds {
		k := &kinds[i]
		source := cache.NewListWatchFromClient(clients[k.group], k.plural, "", everything)
		var watcher cache.ListerWatcher = source
		if !watchList {
			watcher = listAndWatch{source}
		}
		v := &view{kind: k, told: map[string]uint64{},
			informer: cache.NewSharedIndexInformer(watcher, k.example.(runtime.Object), 0, cache.Indexers{})}
		_, err := v.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { v.tell(object, false) },
			UpdateFunc: func(_, object any) { v.tell(object, false) },
			DeleteFunc: func(object any) { v.tell(object, true) },
		})
		if err != nil {
			cancel()
			return nil, err
		}
		set.views = append(set.views, v)
		set.running.Go(func() { v.informer.RunWithContext(ctx) })
	}
	return set, nil
}

func (s *informerSet) synced(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var all []cache.InformerSynced
	for _, v := range s.views {
		all = append(all, v.informer.HasSynced)
	}
	return cache.WaitForCacheSync(ctx.Done(), all...)
}

func (s *informerSet) stop() {
	s.cancel()
	s.running.Wait()
}

// compare holds cache and handler against the truth, key by key; `differ` gets what is wrong.
func (s *informerSet) compare(t *truth, differ func(set, resource, key string, want, cached, told uint64)) (equal int) {
	for _, v := range s.views {
		want := t.objects[v.kind.name()]
		cached := map[string]uint64{}
		for _, object := range v.informer.GetStore().List() {
			key, _ := cache.MetaNamespaceKeyFunc(object)
			cached[key] = versionOf(object)
		}
		v.lock.Lock()
		keys := map[string]bool{}
		for _, versions := range []map[string]uint64{want, cached, v.told} {
			for key := range versions {
				keys[key] = true
			}
		}
		for key := range keys {
			if want[key] == cached[key] && want[key] == v.told[key] {
				equal++
			} else {
				differ(s.name, v.kind.plural, key, want[key], cached[key], v.told[key])
			}
		}
		v.lock.Unlock()
	}
	return equal
}

func (s *informerSet) totals() (events, backwards int) {
	for _, v := range s.views {
		v.lock.Lock()
		events += v.events
		backwards += v.backwards
		v.lock.Unlock()
	}
	return
}
