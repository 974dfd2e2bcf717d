#include "lookout/config/config.h"

namespace pintle::lookout {

std::string_view example_config() {
  return R"toml(# lookout.toml: which clusters are watched, what is recognised and who is told.
# Relative paths are of this file's directory. `pintled lookout check-config FILE` checks it.

# Of the API and the status page. An address that other machines reach needs [[tokens]].
listen = "127.0.0.1:8090"

# "sqlite:PATH", or "postgresql://USER@HOST/NAME?password=..." shared by several lookouts.
database = "sqlite:lookout.db"

# Secrets of subscriptions are encrypted in the database with this key; it is made when missing.
secret_key_file = "lookout.key"

# Whether every Event of a cluster is stored, or only what the rules make of it.
raw_events = true

# Where cleaning writes what it archives: JSON lines, gzip.
# archive = "archive"

stuck_after = "10m"    # a release under way for longer is told as release.stuck
group_within = "10s"   # warnings of a release's pods so close together are one event with a count; "0": none
settle_within = "60s"  # a deployed release whose workloads are not available then is degraded

# Several lookouts on one PostgreSQL with the same regions divide them by Leases, one for each region
# in this namespace of its cluster; what one had that dies another takes within 17 s. They need the
# same secret_key_file, and the right to get, create and update Leases there.
# [share]
# namespace = "lookout"

# ---- the clusters ----

# What the API makes (regions, rules, policies of cleaning) stands beside what is here, in the
# database; what is here is changed here only.

[[regions]]
name = "eu-1"
environment = "production"
kubeconfig = "eu-1.kubeconfig"  # or "in-cluster": the pod's own account
# context = "admin"             # of the kubeconfig; its current one otherwise
# namespaces = ["shop"]         # all otherwise
# memory_mb = 256               # above it pods, then Jobs are no longer watched, which is told, until
#                               # they fit again; 0: no limit
# enabled = false               # it is not watched; what is stored of it stays, and goes on from there
# event_ttl = "1h"              # of its API server; who was away for longer may have missed Events

# ---- who is told ----

[[subscriptions]]
name = "deployments"
types = ["release.*"]           # see /supportevents; all otherwise
# regions, environments, namespaces, kinds, reasons, releases = [...]; labels = {team = "pay"}
# reason_patterns = ["^Failed"]         # RE2, beside reasons
# selector = "team in (pay, shop), tier != test"   # of labels, as Kubernetes has it
# scopes = ["eu-1", "us-1/shop", "us-1/pay/web"]   # REGION/NAMESPACE/RELEASE, each with all below
min_severity = "info"           # "warning", "error"
order_by = "release"            # one after the other: "subject", "region", "subscription"
sink = "webhook"                # dingtalk, email, feishu, file, harbor, kafka, nats, slack, ...
# secret_file = "deployments.secret"  # "whsec_...": signs what is sent
# retry = ["5s", "1m", "10m"]     # what passes before each further try; 5s to 12h otherwise
# give_up = "6h"                  # after the first try; 24h otherwise
# disable_after = "5d"            # every attempt has failed for so long: it is paused, which is told as
#                                 # subscription.disabled; what waits for it is kept. Never otherwise
# quiet = "22:00-07:00 +08:00"    # nothing is sent then but what is as severe as quiet_but = "error"
# digest = "10m"                  # a chat or mail tells what happens within so long together
# once_per = ["release", "revision"]  # of events alike in these only the first is told

[subscriptions.options]         # the sink's own
url = "https://hooks.example.com/deployments"
# headers = {Authorization = "Bearer ..."}   # shown masked, as paths of URLs and keys are
# ca_file = "receiver-ca.crt"      # its own authority; or ca = "PEM"
# certificate_file = "our.crt"     # ours, for a receiver that asks for one; with key_file

# Whom a mail goes to, or a chat's message calls, may be found when it is sent: who set it off, who
# owns it, who is on duty, a person, an address, or a template that says some.
# [[subscriptions]]
# name = "trouble"
# types = ["release.failed"]
# sink = "email"                   # or dingtalk, feishu, wecom, slack
# whom = ["trigger", "owners", "oncall", "{{ .labels.team }}"]
# fall_back = "nobody"             # `to` (a chat's `mention`) is told when nobody was found;
#                                  # "unknown": when somebody was not; "always"
# [subscriptions.options]
# url = "smtp://mail.internal"
# from = "lookout@example.com"
# to = ["platform@example.com"]

# [[people]]
# name = "ann"
# aliases = ["oidc:ann", "ann@corp.example"]   # as clusters and labels call her
# mail = "ann@example.com"
# dingtalk = "13800000000"         # mobile; feishu = "ou_...", wecom = "USERID", slack = "U..."

# [[owners]]                       # the first that fits; types, regions, releases, labels, selector
# name = "shop"
# namespaces = ["shop"]
# people = ["ann", "bob"]
# channel = "#shop"                # of Slack, for a subscription with a `channel`

# [[oncall]]
# name = "sre"
# people = ["ann", "bob"]          # one after the other; without turn all of them
# since = 2026-01-05T09:00:00Z
# turn = "7d"

# [[oncall]]                       # stands in
# name = "leave-of-ann"
# duty = "sre"
# people = ["bob"]
# from = 2026-02-02T09:00:00Z
# to = 2026-02-09T09:00:00Z

# Harbor keeps what runs: each image pulled from it gets a tag of its own, by digest.
# [[subscriptions]]
# name = "keep-what-runs"
# types = ["image.pulled"]
# sink = "harbor"
# secret_file = "robot.secret"        # its password
# order_by = "region"                 # or "subscription": a tag that moves wants its events in order
# [subscriptions.options]
# url = "https://harbor.example.com"
# user = "robot$lookout"              # may create tags, and delete them if they move
# moving = true                       # deployed-ENVIRONMENT-REGION, at what was pulled last;
#                                     # else rel-RELEASE-REVISION, which stays where it is
# template = "live-{{ .environment }}"  # another name

# Kafka gets one message for each event, its key the release's, acknowledged by all replicas.
# [[subscriptions]]
# name = "to-kafka"
# types = ["release.*"]
# sink = "kafka"
# secret_file = "kafka.password"
# [subscriptions.options]
# brokers = ["kafka-1.internal:9093", "kafka-2.internal:9093"]  # each must be allowed by [guard]
# topic = "releases.{{ .region }}"    # a template
# format = "cloudevents-binary"       # or cloudevents, plain; or a template
# tls = true                          # with ca = "PEM" of their own; certificate = "PEM" of ours
# sasl = "scram-sha-512"              # or plain, scram-sha-256
# user = "lookout"

# NATS: each event is published with its id, and the stream's word waited for.
# [[subscriptions]]
# name = "to-nats"
# types = ["release.*"]
# sink = "nats"
# secret_file = "nats.secret"         # USER:PASSWORD, or a token
# [subscriptions.options]
# url = "tls://nats.internal:4222"    # allowed by [guard]; nats:// is in clear
# subject = "lookout.{{ .region }}"   # a template
# ca_file = "nats-ca.crt"             # its own authority
# certificate_file = "our.crt"        # ours, for a server that asks for one; with key_file

# ---- what is recognised ----

# A rule of a default one's name changes it; others come before the defaults. The first match wins.
[[rules]]
name = "node-rebooted"
off = true

[[rules]]
name = "certificate-issued"
group = "cert-manager.io"
kind = "Certificate"
reasons = ["Issuing"]
messages = ['The certificate has been successfully issued']  # RE2; found anywhere in the text
type = "certificate.issued"
severity = "info"
dedup = "{cluster}/{event}/{count}"

# ---- who may ask ----

# The SHA-256 of the token (`printf %s TOKEN | sha256sum`); role: read, operate or admin;
# inlet, for systems that hand in CloudEvents (POST /cloudevents) and may nothing else.
# [[tokens]]
# name = "dashboard"
# sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
# role = "read"

# ---- how long things are kept ----

# A row goes by one policy, the most particular that fits it; "*" takes what has no other. What waits
# to be told is never removed, nor its event; what was given up goes by the policy "dead", or "*".
[[cleaning]]
type = "kubernetes.event"
keep = "14d"
# keep_rows = 5000000           # only the newest so many; with keep or without
# archive = true                # written to a file of archive's folder before it goes

# [[cleaning]]                  # of that type those of some kinds, reasons, namespaces
# name = "noise"
# type = "kubernetes.event"
# reasons = ["Pulled", "Created", "Started"]
# keep = "3d"

# [[cleaning]]
# type = "delivery"             # those that succeeded, before their events go; also: "attempt",
# keep = "30d"                  # "dead" (given up), "gap", "observation" (the states), "audit"

[[cleaning]]
type = "*"
keep = "365d"

# ---- where may be sent to ----

# https to public addresses, ports 443 and 8443, unless it is allowed here.
[guard]
# allow = ["hooks.internal:8080", "10.1.0.0/16"]
# deny = ["203.0.113.0/24"]
ports = [443, 8443]
)toml";
}

}  // namespace pintle::lookout
