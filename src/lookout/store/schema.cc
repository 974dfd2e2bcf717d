// The tables, one meaning each:
//
//   region, checkpoint, gap    what is watched, how far, and what was lost
//   present                    the processes that share the database
//   observation                every state of every object once: its unique key is guarantee G1
//   object                     the newest state of each object that exists: versions and counts
//   told                       the dedup keys of events, kept longer than the events
//   event                      the sequence
//   subscription, delivery, attempt   the outbox
//   setting                    what the API made beside the configuration's file
//   standing                   when a subscription's attempts last succeeded and failed
//   audit                      who changed what of the configuration
//   mark                       what deliveries made so elsewhere, once for many events
//   lane                       one row for each order key with unfinished deliveries: the oldest of
//                              them and when it is due. Claiming takes lanes, so only one delivery
//                              of a key can be out, and blocked ones cost nothing however many.
//   ledger                     one row: the last numbers given out, and the version of all
//                              subscriptions and settings. Who takes numbers from it holds its row until the
//                              commit, so numbers become visible in their order.
#include "lookout/store/schema.h"

namespace pintle::lookout {

namespace {

constexpr std::string_view kSteps[] = {R"(
create table ledger (
  one {id} primary key,
  event_seq bigint not null,
  delivery_id bigint not null,
  other_id bigint not null,
  subscriptions bigint not null,
  key_check text not null);
insert into ledger (one, event_seq, delivery_id, other_id, subscriptions, key_check)
  values (1, 0, 0, 0, 0, '');
create table region (
  id {id} primary key,
  name text not null unique,
  cluster_uid text not null,
  environment text not null,
  enabled bigint not null,
  epoch bigint not null,
  removed bigint not null);
create table checkpoint (
  region_id bigint not null,
  resource text not null,
  version text not null,
  observed_ms bigint not null,
  state text not null,
  primary key (region_id, resource)) {text_key};
create table gap (
  id {id} primary key,
  region_id bigint not null,
  region text not null,
  resource text not null,
  from_ms bigint not null,
  to_ms bigint not null,
  from_version text not null,
  cause text not null,
  unique (region_id, resource, from_ms, to_ms, from_version));
create table observation (
  cluster_uid text not null,
  resource text not null,
  uid text not null,
  version text not null,
  change bigint not null,
  subject_group text not null,
  subject_version text not null,
  subject_kind text not null,
  subject_namespace text not null,
  subject_name text not null,
  subject_uid text not null,
  digest text not null,
  received_ms bigint not null,
  count bigint not null,
  count_delta bigint not null,
  unique (cluster_uid, resource, uid, version));
create index observation_age on observation (received_ms, uid, version);
create table object (
  cluster_uid text not null,
  resource text not null,
  uid text not null,
  version text not null,
  count bigint not null,
  seen_ms bigint not null,
  primary key (cluster_uid, resource, uid)) {text_key};
create table told (
  key text primary key,
  told_ms bigint not null) {text_key};
create index told_age on told (told_ms);
create table event (
  seq {id} primary key,
  stored_ms bigint not null,
  type text {bytes} not null,
  severity bigint not null,
  region text not null,
  cluster_uid text not null,
  subject_group text not null,
  subject_version text not null,
  subject_kind text not null,
  subject_namespace text not null,
  subject_name text not null,
  subject_uid text not null,
  release text not null,
  release_namespace text not null,
  revision bigint not null,
  reason text not null,
  message text not null,
  time_ms bigint not null,
  labels text not null,
  data text not null,
  dedup_key text not null,
  observation_resource text not null,
  observation_uid text not null,
  observation_version text not null);
create index event_age on event (stored_ms, seq);
create index event_type on event (type, seq);
create index event_name on event (subject_name, seq);
create index event_release on event (release, seq);
create table subscription (
  id {id} primary key,
  name text not null unique,
  filter text not null,
  sink_kind text not null,
  sink_public text not null,
  secret text not null,
  order_by text not null,
  enabled bigint not null,
  generation bigint not null);
create table delivery (
  id {id} primary key,
  event_seq bigint not null,
  subscription_id bigint not null,
  generation bigint not null,
  order_key text not null,
  state bigint not null,
  due_ms bigint not null,
  attempts bigint not null,
  first_attempt_ms bigint not null,
  lease_owner text not null,
  lease_epoch bigint not null,
  lease_until_ms bigint not null,
  dead_reason text not null,
  unique (event_seq, subscription_id, generation));
create index delivery_unfinished on delivery (order_key, id) where state in (0, 1, 3);
create index delivery_dead on delivery (id) where state = 4;
create index delivery_subscription on delivery (subscription_id, id);
create table lane (
  order_key text primary key,
  subscription_id bigint not null,
  head bigint not null,
  due_ms bigint not null) {text_key};
create index lane_due on lane (due_ms);
create index lane_subscription on lane (subscription_id);
create table attempt (
  delivery_id bigint not null,
  n bigint not null,
  started_ms bigint not null,
  took_ms bigint not null,
  status bigint not null,
  error text not null,
  peer text not null,
  response_head text not null,
  primary key (delivery_id, n)) {text_key};
)",
                                          R"(
alter table region add column owner text not null default '';
update region set epoch = 0;
alter table subscription add column paused bigint not null default 0;
create table present (
  owner text primary key,
  seen_ms bigint not null) {text_key};
)",
                                          R"(
create table setting (
  kind text not null,
  name text not null,
  value text not null,
  secret text not null,
  primary key (kind, name)) {text_key};
)",
                                          R"(
create table mark (
  key text primary key,
  value text not null,
  event_seq bigint not null,
  set_ms bigint not null) {text_key};
create index mark_age on mark (set_ms);
)",
                                          R"(
alter table delivery add column ended_ms bigint not null default 0;
)",
                                          R"(
alter table subscription add column sealed_options text not null default '';
alter table subscription add column manner text not null default '{}';
alter table attempt add column told text not null default '';
)",
                                          R"(
create table audit (
  id {id} primary key,
  at_ms bigint not null,
  author text not null,
  role text not null,
  kind text not null,
  name text not null,
  verb text not null,
  fields text not null);
)",
                                          R"(
alter table subscription add column paused_why text not null default '';
create table standing (
  subscription_id {id} primary key,
  success_ms bigint not null,
  failure_ms bigint not null,
  failing_since_ms bigint not null,
  failure text not null);
create index delivery_ended_badly on delivery (subscription_id, state) where state in (4, 5);
)",
                                          R"(
drop index lane_due;
create index lane_due on lane (due_ms, subscription_id);
)",
                                          R"(
alter table attempt add column result text not null default '';
alter table attempt add column tls text not null default '';
)"};

}  // namespace

db::Steps schema_steps() { return kSteps; }

}  // namespace pintle::lookout
