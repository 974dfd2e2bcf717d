// kafkabroker is a broker in memory that wants a login, for tests/e2e/lookout-kafka. Its users are given
// as MECHANISM:USER:PASSWORD. It prints "broker HOST:PORT" and, with -tls, its certificate as JSON, then each record
// of its topic as a line of JSON.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"log"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const topic = "events"

func certificate() (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Before they log in, librdkafka's older versions look for the handshake's version 0, which this broker does not
// have and they do not use.
func knowOldHandshake(cluster *kfake.Cluster, client *kgo.Client) {
	answer, err := client.Request(context.Background(), kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		log.Fatal(err)
	}
	known := *answer.(*kmsg.ApiVersionsResponse)
	for i := range known.ApiKeys {
		if known.ApiKeys[i].ApiKey == int16(kmsg.SASLHandshake) {
			known.ApiKeys[i].MinVersion = 0
		}
	}
	cluster.ControlKey(int16(kmsg.ApiVersions), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		out := known
		out.SetVersion(request.GetVersion())
		return &out, nil, true
	})
}

func main() {
	withTLS := flag.Bool("tls", false, "listen with TLS")
	flag.Parse()
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "reader", "reads")}
	for _, user := range flag.Args() {
		parts := strings.SplitN(user, ":", 3)
		options = append(options, kfake.Superuser(parts[0], parts[1], parts[2]))
	}
	consume := []kgo.Opt{kgo.ConsumeTopics(topic), kgo.SASL(scram.Auth{User: "reader", Pass: "reads"}.AsSha256Mechanism())}
	var authority []byte
	if *withTLS {
		var own tls.Certificate
		own, authority = certificate()
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(authority)
		options = append(options, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}))
		consume = append(consume, kgo.DialTLSConfig(&tls.Config{RootCAs: pool}))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(append(consume, kgo.SeedBrokers(cluster.ListenAddrs()...))...)
	if err != nil {
		log.Fatal(err)
	}
	knowOldHandshake(cluster, client)
	fmt.Println("broker", cluster.ListenAddrs()[0])
	if *withTLS {
		text, _ := json.Marshal(string(authority))
		fmt.Println(string(text))
	}
	for {
		client.PollFetches(context.Background()).EachRecord(func(r *kgo.Record) {
			headers := map[string]string{}
			for _, h := range r.Headers {
				headers[h.Key] = string(h.Value)
			}
			line, _ := json.Marshal(map[string]any{"key": string(r.Key), "value": string(r.Value), "headers": headers})
			fmt.Println(string(line))
		})
	}
}
