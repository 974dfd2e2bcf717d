// The handlers that the route table names, by file. Inside the API only.
#pragma once

#include "lookout/api/call.h"

namespace pintle::lookout {

// status.cc
Result<Answer> show_page(Backend& b, const Call& c);
Result<Answer> show_health(Backend& b, const Call& c);
Result<Answer> show_ready(Backend& b, const Call& c);
Result<Answer> show_metrics(Backend& b, const Call& c);
Result<Answer> show_openapi(Backend& b, const Call& c);

// page_details.cc
Result<Answer> show_delivery_page(Backend& b, const Call& c);
Result<Answer> show_subscription_page(Backend& b, const Call& c);
Result<Answer> post_test(Backend& b, const Call& c);
Result<Answer> post_pause(Backend& b, const Call& c);
Result<Answer> post_resume(Backend& b, const Call& c);
Result<Answer> post_resend(Backend& b, const Call& c);
Result<Answer> post_skip(Backend& b, const Call& c);
// deliver/request_text.h of a delivery, as curl; "": its event or its subscription is gone, or it is no HTTP.
Result<std::string> curl_of(Backend& b, const Delivery& d);

// events.cc
Result<Answer> list_events(Backend& b, const Call& c);
Result<Answer> show_event(Backend& b, const Call& c);
Result<Answer> take_cloud_events(Backend& b, const Call& c);
Result<Answer> list_event_types(Backend& b, const Call& c);
Result<Answer> list_releases(Backend& b, const Call& c);
EventQuery event_query(const Call& c);

// subscriptions.cc
Result<Answer> list_subscriptions(Backend& b, const Call& c);
Result<Answer> add_subscription(Backend& b, const Call& c);
Result<Answer> show_subscription(Backend& b, const Call& c);
Result<Answer> change_subscription(Backend& b, const Call& c);
Result<Answer> remove_subscription(Backend& b, const Call& c);
Result<Answer> pause_subscription(Backend& b, const Call& c);
Result<Answer> resume_subscription(Backend& b, const Call& c);
Result<Answer> try_subscription(Backend& b, const Call& c);
Result<Answer> rotate_secret(Backend& b, const Call& c);
Result<Answer> preview_subscription(Backend& b, const Call& c);
// The one whose id is the n-th of the path's parts; own: the API may change it.
Result<Subscription> subscription_of(Backend& b, const Call& c, size_t n = 0);
Result<Subscription> own_subscription(Backend& b, const Call& c, size_t n = 0);

// horizon.cc
inline constexpr std::string_view kHorizonPaths = "/apis/core/";
std::string horizon_error(int status, std::string_view text);  // a refusal as its clients read it
Result<Answer> list_horizon_types(Backend& b, const Call& c);
Result<Answer> list_webhooks(Backend& b, const Call& c);
Result<Answer> add_webhook(Backend& b, const Call& c);
Result<Answer> show_webhook(Backend& b, const Call& c);
Result<Answer> change_webhook(Backend& b, const Call& c);
Result<Answer> remove_webhook(Backend& b, const Call& c);
Result<Answer> list_webhook_logs(Backend& b, const Call& c);
Result<Answer> show_webhook_log(Backend& b, const Call& c);
Result<Answer> resend_webhook_log(Backend& b, const Call& c);
Result<Answer> list_cluster_events(Backend& b, const Call& c);

// deliveries.cc
// Looks on, a stretch at a time, until the query's limit is reached, all was looked at or so many
// stretches were: 20 of 5,000.
Result<DeliveryPage> find_deliveries(Backend& b, DeliveryQuery query, int stretches = 20);
Result<Answer> list_deliveries(Backend& b, const Call& c);
Result<Answer> show_delivery(Backend& b, const Call& c);
Result<Answer> resend_delivery(Backend& b, const Call& c);
Result<Answer> skip_delivery(Backend& b, const Call& c);
Result<Answer> resend_deliveries(Backend& b, const Call& c);

// regions.cc
Result<Answer> list_regions(Backend& b, const Call& c);
Result<Answer> add_region(Backend& b, const Call& c);
Result<Answer> show_region(Backend& b, const Call& c);
Result<Answer> change_region(Backend& b, const Call& c);
Result<Answer> remove_region(Backend& b, const Call& c);
Result<Answer> show_region_health(Backend& b, const Call& c);
Result<Answer> list_gaps(Backend& b, const Call& c);

// rules.cc
Result<Answer> list_rules(Backend& b, const Call& c);
Result<Answer> put_rule(Backend& b, const Call& c);
Result<Answer> remove_rule(Backend& b, const Call& c);
Result<Answer> try_rule(Backend& b, const Call& c);

// directory.cc
Result<Answer> list_people(Backend& b, const Call& c);
Result<Answer> put_person(Backend& b, const Call& c);
Result<Answer> remove_person(Backend& b, const Call& c);
Result<Answer> list_owners(Backend& b, const Call& c);
Result<Answer> put_owners(Backend& b, const Call& c);
Result<Answer> remove_owners(Backend& b, const Call& c);
Result<Answer> list_oncall(Backend& b, const Call& c);
Result<Answer> put_oncall(Backend& b, const Call& c);
Result<Answer> remove_oncall(Backend& b, const Call& c);

// cleaning.cc
Result<Answer> list_policies(Backend& b, const Call& c);
Result<Answer> put_policy(Backend& b, const Call& c);
Result<Answer> remove_policy(Backend& b, const Call& c);
Result<Answer> try_policy(Backend& b, const Call& c);

// audit.cc
Result<Answer> list_audit(Backend& b, const Call& c);

}  // namespace pintle::lookout
