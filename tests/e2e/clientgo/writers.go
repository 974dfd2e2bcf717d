package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

const namespaceCount = 10

var everything = fields.Everything()

// kind is one of the five resources. Of a hundred objects, `share` are of this kind; pods are few
// because simulated controllers write each of them several times.
type kind struct {
	group, plural string
	share         int
	example       any
	fill          func(m meta.ObjectMeta, n int) runtime.Object
}

func (k *kind) name() string {
	if k.group == "" {
		return k.plural
	}
	return k.plural + "." + k.group
}

var kinds = []kind{
	{"", "configmaps", 40, &core.ConfigMap{}, func(m meta.ObjectMeta, n int) runtime.Object {
		return &core.ConfigMap{ObjectMeta: m, Data: map[string]string{"n": fmt.Sprint(n)}}
	}},
	{"", "secrets", 28, &core.Secret{}, func(m meta.ObjectMeta, n int) runtime.Object {
		return &core.Secret{ObjectMeta: m, StringData: map[string]string{"n": fmt.Sprint(n)}}
	}},
	{"", "serviceaccounts", 15, &core.ServiceAccount{}, func(m meta.ObjectMeta, n int) runtime.Object {
		return &core.ServiceAccount{ObjectMeta: m}
	}},
	{"coordination.k8s.io", "leases", 15, &coordination.Lease{}, func(m meta.ObjectMeta, n int) runtime.Object {
		holder := fmt.Sprint(n)
		return &coordination.Lease{ObjectMeta: m, Spec: coordination.LeaseSpec{HolderIdentity: &holder}}
	}},
	{"", "pods", 2, &core.Pod{}, func(m meta.ObjectMeta, n int) runtime.Object {
		return &core.Pod{ObjectMeta: m,
			Spec: core.PodSpec{Containers: []core.Container{{Name: "main", Image: "example.test/main:1"}}}}
	}},
}

// newClients makes one REST client for each group.
func newClients(config *rest.Config) (map[string]rest.Interface, error) {
	first, err := coreclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	second, err := coordinationclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return map[string]rest.Interface{"": first.RESTClient(), "coordination.k8s.io": second.RESTClient()}, nil
}

type item struct {
	kind            *kind
	namespace, name string
	exists          bool
}

// writers change the server from several goroutines; each has its own objects.
type writers struct {
	clients []map[string]rest.Interface
	items   [][]*item
	random  []*dice
	lock    sync.Mutex
	failed  int
	reasons []string
}

func newWriters(config *rest.Config, n int, seed uint64) (*writers, error) {
	w := &writers{items: make([][]*item, n)}
	config = rest.CopyConfig(config)
	config.UserAgent = "writers"
	for i := range n {
		clients, err := newClients(config)
		if err != nil {
			return nil, err
		}
		w.clients = append(w.clients, clients)
		w.random = append(w.random, &dice{state: seed*1000 + uint64(i)})
	}
	return w, nil
}

func namespace(n int) string { return fmt.Sprintf("load-%d", n%namespaceCount) }

func (w *writers) namespaces(ctx context.Context) error {
	for i := range namespaceCount {
		body := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace(i)}}
		if err := w.clients[0][""].Post().Resource("namespaces").Body(body).Do(ctx).Error(); err != nil {
			return err
		}
	}
	return nil
}

// settle repeats what a broken connection or a server that is away made fail.
func (w *writers) settle(ctx context.Context, what string, do func() error, fine ...func(error) bool) bool {
	var err error
	for attempt := range 50 {
		if err = do(); err == nil {
			return true
		}
		for _, f := range fine {
			if f(err) {
				return true
			}
		}
		var status apierrors.APIStatus
		refused := errors.As(err, &status) && status.Status().Code != 503 && status.Status().Code != 429
		if refused || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Duration(attempt+1) * 10 * time.Millisecond)
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.failed++
	if len(w.reasons) < 10 {
		w.reasons = append(w.reasons, fmt.Sprintf("differs: %s: %v", what, err))
	}
	return false
}

func (w *writers) make(ctx context.Context, worker int, it *item, n int) {
	m := meta.ObjectMeta{Name: it.name, Namespace: it.namespace, Labels: map[string]string{"load": "yes"}}
	body := it.kind.fill(m, n)
	it.exists = w.settle(ctx, "create "+it.kind.plural, func() error {
		return w.clients[worker][it.kind.group].Post().Namespace(it.namespace).Resource(it.kind.plural).
			Body(body).Do(ctx).Error()
	}, apierrors.IsAlreadyExists)
}

func kindFor(n int) *kind {
	at := n * 37 % 100
	for i := range kinds {
		if at -= kinds[i].share; at < 0 {
			return &kinds[i]
		}
	}
	return &kinds[0]
}

// create makes the objects numbered from `first` to before `end`.
func (w *writers) create(ctx context.Context, first, end int) {
	var all sync.WaitGroup
	for worker := range w.clients {
		all.Go(func() {
			for n := first + worker; n < end && ctx.Err() == nil; n += len(w.clients) {
				it := &item{kind: kindFor(n), namespace: namespace(n / 100), name: fmt.Sprintf("load-%06d", n)}
				w.items[worker] = append(w.items[worker], it)
				w.make(ctx, worker, it, n)
			}
		})
	}
	all.Wait()
}

// change changes at random: at least `count` times, and until `enough` is true.
func (w *writers) change(ctx context.Context, count int, enough *atomic.Bool) {
	var all sync.WaitGroup
	for worker := range w.clients {
		all.Go(func() {
			for n := worker; (n < count || !enough.Load()) && ctx.Err() == nil; n += len(w.clients) {
				w.changeOne(ctx, worker, n)
			}
		})
	}
	all.Wait()
}

func (w *writers) changeOne(ctx context.Context, worker, n int) {
	roll := w.random[worker]
	it := w.items[worker][roll.below(len(w.items[worker]))]
	client := w.clients[worker][it.kind.group]
	what := roll.below(100)
	switch {
	case !it.exists:
		w.make(ctx, worker, it, n)
	case what < 20:
		w.settle(ctx, "delete "+it.kind.plural, func() error {
			return client.Delete().Namespace(it.namespace).Resource(it.kind.plural).Name(it.name).Do(ctx).Error()
		}, apierrors.IsNotFound)
		it.exists = false
	case what < 40:
		w.settle(ctx, "update "+it.kind.plural, func() error {
			object, err := client.Get().Namespace(it.namespace).Resource(it.kind.plural).Name(it.name).Do(ctx).Get()
			if err != nil {
				return err
			}
			object.(meta.Object).SetAnnotations(map[string]string{"update": fmt.Sprint(n)})
			return client.Put().Namespace(it.namespace).Resource(it.kind.plural).Name(it.name).Body(object).
				Do(ctx).Error()
		}, apierrors.IsNotFound, apierrors.IsConflict)
	default:
		patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{
			"labels": map[string]string{"patch": fmt.Sprint(n)}}})
		w.settle(ctx, "patch "+it.kind.plural, func() error {
			return client.Patch(types.MergePatchType).Namespace(it.namespace).Resource(it.kind.plural).
				Name(it.name).Body(patch).Do(ctx).Error()
		}, apierrors.IsNotFound)
	}
}

// touch makes one more object.
func (w *writers) touch(ctx context.Context) {
	w.make(ctx, 0, &item{kind: &kinds[0], namespace: namespace(0), name: "one-more"}, 0)
}

// report says which writes failed for good.
func (w *writers) report() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.failed > len(w.reasons) {
		return append(w.reasons, fmt.Sprintf("differs: %d writes failed", w.failed))
	}
	return w.reasons
}
