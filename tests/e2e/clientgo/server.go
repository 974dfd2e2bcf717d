package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// admin speaks to drydock's own endpoint: faults on demand, and the log of what was true.
type admin struct {
	url, token string
	client     *http.Client
}

func newAdmin(config *rest.Config, token string) (*admin, error) {
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	return &admin{strings.TrimSuffix(config.Host, "/") + "/drydock/", token,
		&http.Client{Transport: &http.Transport{TLSClientConfig: tls}, Timeout: 30 * time.Second}}, nil
}

// call tries again when the connection breaks: a restart cuts this one too.
func (a *admin) call(method, path string, body any) ([]byte, error) {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	var last error
	for range 20 {
		request, err := http.NewRequest(method, a.url+path, bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+a.token)
		response, err := a.client.Do(request)
		if err == nil {
			var answer []byte
			answer, err = io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil && response.StatusCode >= 300 {
				return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
			}
			if err == nil {
				return answer, nil
			}
		}
		last = err
		time.Sleep(100 * time.Millisecond)
	}
	return nil, last
}

// truth is what exists by drydock's log of changes: resource -> namespace/name -> resourceVersion.
type truth struct {
	server  *admin
	since   uint64
	changes int
	objects map[string]map[string]uint64
}

// advance reads what is new; the number of new changes.
func (t *truth) advance() (int, error) {
	read := 0
	for {
		text, err := t.server.call("GET", "log?since="+strconv.FormatUint(t.since, 10), nil)
		if err != nil || len(text) == 0 {
			return read, err
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var line struct{ ResourceVersion, Type, Group, Resource, Namespace, Name string }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				return read, err
			}
			version, err := strconv.ParseUint(line.ResourceVersion, 10, 64)
			if err != nil || version <= t.since {
				return read, fmt.Errorf("the log goes from version %d to %q", t.since, line.ResourceVersion)
			}
			kind := line.Resource
			if line.Group != "" {
				kind += "." + line.Group
			}
			if t.objects[kind] == nil {
				t.objects[kind] = map[string]uint64{}
			}
			key := line.Name
			if line.Namespace != "" {
				key = line.Namespace + "/" + line.Name
			}
			if line.Type == "DELETED" {
				delete(t.objects[kind], key)
			} else {
				t.objects[kind][key] = version
			}
			t.since = version
			read++
			t.changes++
		}
	}
}

// chaos breaks watches until told to stop: cuts of one resource or all, compactions that leave
// every watch behind the history, and one restart.
type chaos struct {
	server                       *admin
	random                       *dice
	cuts, compactions, restarts  int
	watchesCut                   int
	every                        time.Duration
	wantCompactions, wantRestart int
}

func (c *chaos) cut(filter map[string]string) error {
	text, err := c.server.call("POST", "watches", filter)
	var answer struct{ Watches int }
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	c.watchesCut += answer.Watches
	return err
}

// Watches are refused while writes go on and their past is forgotten: all must list anew.
func (c *chaos) compact() error {
	refuse := map[string]any{"watch": true, "status": 503, "retryAfterSeconds": 1}
	if _, err := c.server.call("POST", "faults", refuse); err != nil {
		return err
	}
	err := c.cut(map[string]string{"effect": "cut"})
	time.Sleep(300 * time.Millisecond)
	if err == nil {
		_, err = c.server.call("POST", "compact", nil)
	}
	if _, cleared := c.server.call("DELETE", "faults", nil); err == nil {
		err = cleared
	}
	return err
}

func (c *chaos) run(ctx context.Context, done *atomic.Bool) error {
	for round := 1; ; round++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.every):
		}
		var err error
		switch {
		case round%8 == 4 && c.compactions < c.wantCompactions:
			err = c.compact()
			c.compactions++
		case round%8 == 7 && c.restarts < c.wantRestart:
			_, err = c.server.call("POST", "restart", nil)
			c.restarts++
		case round%3 == 0:
			err = c.cut(map[string]string{"effect": "cut"})
			c.cuts++
		default:
			resource := kinds[c.random.below(len(kinds))].plural
			err = c.cut(map[string]string{"effect": "cut", "resource": resource})
			c.cuts++
		}
		if err != nil {
			return err
		}
		if c.compactions == c.wantCompactions && c.restarts == c.wantRestart {
			done.Store(true)
		}
	}
}

// counter counts what the informers ask for.
type counter struct {
	next                                         http.RoundTripper
	lists, watches, watchLists, expired, dropped atomic.Int64
	dropping, wantDrop                           atomic.Bool
}

func (c *counter) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	switch {
	case query.Get("sendInitialEvents") == "true":
		c.watchLists.Add(1)
	case query.Get("watch") == "true" || query.Get("watch") == "1":
		c.watches.Add(1)
	default:
		c.lists.Add(1)
	}
	response, err := c.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusGone {
		c.expired.Add(1)
	}
	if err == nil && c.dropping.Load() && isWatch(query) {
		response.Body = &droppingBody{Reader: bufio.NewReader(response.Body), Closer: response.Body, from: c}
	}
	return response, err
}

func isWatch(query url.Values) bool {
	return query.Get("watch") == "true" || query.Get("watch") == "1"
}

// droppingBody is a watch that loses one event of its server, once in its set: the negative control.
// A watch's frames are lines of JSON here, for its informers ask for JSON.
type droppingBody struct {
	*bufio.Reader
	io.Closer
	from *counter
	rest []byte
}

func (b *droppingBody) Read(into []byte) (int, error) {
	for len(b.rest) == 0 {
		line, err := b.ReadBytes('\n')
		if err != nil && len(line) == 0 {
			return 0, err
		}
		real := bytes.Contains(line[:min(len(line), 40)], []byte(`"ADDED"`)) ||
			bytes.Contains(line[:min(len(line), 40)], []byte(`"MODIFIED"`))
		if real && b.from.wantDrop.CompareAndSwap(true, false) {
			b.from.dropped.Add(1)
			continue
		}
		b.rest = line
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// dice is a small generator, the same numbers for the same seed, safe to share.
type dice struct {
	lock  sync.Mutex
	state uint64
}

func (d *dice) below(n int) int {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.state = d.state*6364136223846793005 + 1442695040888963407
	return int((d.state >> 33) % uint64(n))
}
