// Clientgo holds client-go's shared informers against drydock's log of what was true.
//
// Writers create objects of five kinds and then change and delete them at random while watches are
// cut, history is compacted and the server restarts. Two sets of informers look on, one by WatchList
// and one by list and watch; two more start at the end. When it is quiet, every cache, and what every
// handler was told, must have the same keys and resourceVersions as the log.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	token := flag.String("admin-token", "", "of drydock's admin endpoint")
	count := flag.Int("objects", 50000, "how many are created")
	churn := flag.Int("changes", 50000, "random changes after that, at least")
	workers := flag.Int("workers", 8, "writers")
	every := flag.Duration("fault-every", time.Second, "time between faults")
	compactions := flag.Int("compactions", 3, "how many")
	restarts := flag.Int("restarts", 1, "how many")
	limit := flag.Duration("limit", 10*time.Minute, "for writing")
	settle := flag.Duration("settle", time.Minute, "for caches to become equal")
	seed := flag.Uint64("seed", 1, "of the random changes")
	verbose := flag.Bool("v", false, "client-go's own log")
	flag.Parse()
	if !*verbose {
		klog.LogToStderr(false)
		klog.SetOutput(io.Discard)
	}

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	config.QPS = -1
	server, err := newAdmin(config, *token)
	check(err)
	writers, err := newWriters(config, *workers, *seed)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	check(writers.namespaces(ctx))

	// Half of the objects exist when the first informers start.
	began := time.Now()
	writers.create(ctx, 0, *count/2)
	sets := start(config, "watchlist", true, "list", false)

	breaker := &chaos{server: server, random: &dice{state: *seed}, every: *every,
		wantCompactions: *compactions, wantRestart: *restarts}
	var broken atomic.Bool
	chaosCtx, stopChaos := context.WithCancel(ctx)
	var chaosError error
	var chaosEnd sync.WaitGroup
	chaosEnd.Go(func() { chaosError = breaker.run(chaosCtx, &broken) })
	writers.create(ctx, *count/2, *count)
	created := time.Since(began)
	writers.change(ctx, *churn, &broken)
	stopChaos()
	chaosEnd.Wait()
	check(chaosError)
	wrote := time.Since(began)

	sets = append(sets, start(config, "late watchlist", true, "late list", false)...)
	known := &truth{server: server, objects: map[string]map[string]uint64{}}
	equal, differ, lines := 0, 0, []string(nil)
	quiet := time.Now()
	for until := quiet.Add(*settle); ; time.Sleep(500 * time.Millisecond) {
		_, err := known.advance()
		check(err)
		equal, differ, lines = 0, 0, nil
		for _, set := range sets {
			equal += set.compare(known, func(set, resource, key string, want, cached, told uint64) {
				differ++
				if len(lines) < 20 {
					lines = append(lines, fmt.Sprintf("differs: %s: %s %s: true version %d, cached %d, told %d",
						set, resource, key, want, cached, told))
				}
			})
		}
		later, err := known.advance()
		check(err)
		if (differ == 0 && later == 0) || time.Now().After(until) {
			break
		}
	}
	settled := time.Since(quiet)

	for _, line := range lines {
		fmt.Println(line)
	}
	bad := differ
	for _, set := range sets {
		events, backwards := set.totals()
		c := &set.counter
		fmt.Printf("%s: %d events, %d lists, %d WatchLists, %d watches, %d answered 410\n", set.name, events,
			c.lists.Load(), c.watchLists.Load(), c.watches.Load(), c.expired.Load())
		if backwards > 0 {
			fmt.Printf("differs: %s: %d updates went back to an older version\n", set.name, backwards)
			bad += backwards
		}
		again := int(c.lists.Load()+c.watchLists.Load()) - len(kinds)
		early := set.name == "watchlist" || set.name == "list"
		if early && breaker.compactions > 0 && again < len(kinds) {
			fmt.Printf("differs: %s: listed %d times again, though history was forgotten under all its watches\n", set.name, again)
			bad++
		}
		byWatchList := c.watchLists.Load() > 0
		if byWatchList != (set.name == "watchlist" || set.name == "late watchlist") {
			fmt.Printf("differs: %s: did not list as it should\n", set.name)
			bad++
		}
		set.stop()
	}
	if differ == 0 {
		if seen := control(config, writers, known); seen == "" {
			fmt.Println("the control, which lost one event, differs as it must")
		} else {
			fmt.Println("differs: the control, which lost one event: " + seen)
			bad++
		}
	}
	for _, line := range writers.report() {
		fmt.Println(line)
		bad++
	}
	if !broken.Load() {
		fmt.Println("differs: the time was over before every fault had happened")
		bad++
	}
	fmt.Printf("%d cuts, %d compactions, %d restarts; %d watches cut besides the restarts\n",
		breaker.cuts, breaker.compactions, breaker.restarts, breaker.watchesCut)
	fmt.Printf("%d objects created in %.1f s, %d changes in the log, all written in %.1f s, equal after %.1f s\n",
		*count, created.Seconds(), known.changes, wrote.Seconds(), settled.Seconds())
	fmt.Printf("%d equal, %d differ\n", equal, bad)
	if bad > 0 {
		os.Exit(1)
	}
}

// control holds informers that lose one event against the truth: the comparison must see it. What is
// wrong with that; "" when it did.
func control(config *rest.Config, writers *writers, known *truth) string {
	set, err := startInformers(config, "control", false)
	check(err)
	defer set.stop()
	if !set.synced(time.Minute) {
		return "not in sync after a minute"
	}
	compare := func() (differ int) {
		_, err := known.advance()
		check(err)
		set.compare(known, func(_, _, _ string, _, _, _ uint64) { differ++ })
		return differ
	}
	// The handlers are told a moment after the stores are filled.
	before := compare()
	for deadline := time.Now().Add(10 * time.Second); before != 0 && time.Now().Before(deadline); before = compare() {
		time.Sleep(50 * time.Millisecond)
	}
	if before != 0 {
		return fmt.Sprintf("%d differ before it lost one", before)
	}
	set.counter.wantDrop.Store(true)
	writers.touch(context.Background())
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		if set.counter.dropped.Load() == 1 && compare() == 1 {
			return ""
		}
	}
	return fmt.Sprintf("%d events lost, %d seen to differ", set.counter.dropped.Load(), compare())
}

// start starts two sets at once and waits for both.
func start(config *rest.Config, first string, firstWatchList bool, second string, secondWatchList bool) []*informerSet {
	a, err := startInformers(config, first, firstWatchList)
	check(err)
	b, err := startInformers(config, second, secondWatchList)
	check(err)
	for _, set := range []*informerSet{a, b} {
		if !set.synced(time.Minute) {
			check(fmt.Errorf("%s: not in sync after a minute", set.name))
		}
	}
	return []*informerSet{a, b}
}
