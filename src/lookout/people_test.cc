#include "lookout/people.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/deliver/recipients.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kDay = 86'400'000, kNow = 1'767'323'045'678;

Directory house() {
  Directory d;
  Person ann{.name = "ann", .aliases = {"ann@corp.example", "oidc:ann"}};
  ann.mail = "ann@example.com";
  ann.dingtalk = "13800000001";
  ann.feishu = "ou_ann";
  ann.wecom = "ann.w";
  ann.slack = "U0ANN00001";
  Person bob{.name = "bob"};
  bob.mail = "bob@example.com";
  d.people = {ann, bob};
  Owners shop{.name = "shop", .people = {"bob"}, .channel = "#shop"};
  shop.match.namespaces = {"shop"};
  Owners rest{.name = "rest", .people = {"ann"}};
  d.owners = {shop, rest};
  d.oncall = {{.name = "sre", .people = {"ann", "bob"}, .since_ms = kNow - kDay, .turn_ms = 7 * kDay}};
  return d;
}

StoredEvent event(std::string data = R"({"who":"oidc:ann"})", std::string space = "shop") {
  StoredEvent e;
  e.region = "eu-1";
  e.event.type = "release.failed";
  e.event.release = "web";
  e.event.release_namespace = e.event.subject.name_space = std::move(space);
  e.event.labels = {{"owner", "bob"}, {"team", "a,b"}};
  e.event.data = std::move(data);
  return e;
}

std::string found(std::vector<std::string> whom, const StoredEvent& e = event(),
                  std::string_view sink = "email", FallBack fall_back = FallBack::kNobody,
                  int64_t now = kNow) {
  Manner m;
  m.whom = std::move(whom);
  m.fall_back = fall_back;
  const auto r = resolve(house(), m, *find_sink(sink)->contacts, e, "example.com", now);
  return cat(join(r.contacts, " "), r.channel.empty() ? "" : " ", r.channel, r.fixed ? " +fixed" : "");
}

TEST(People, EachWordFindsWhoIsMeant) {
  const struct {
    std::string_view claim;
    std::vector<std::string> whom;
    StoredEvent event;
    std::string_view sink, want;
  } cases[] = {
      {"who set it off, by another name", {"trigger"}, event(), "email", "ann@example.com"},
      {"the same by what DingTalk calls them", {"trigger"}, event(), "dingtalk", "13800000001"},
      {"by what Feishu calls them", {"trigger"}, event(), "feishu", "ou_ann"},
      {"by what WeCom calls them", {"trigger"}, event(), "wecom", "ann.w"},
      {"by what Slack calls them", {"trigger"}, event(), "slack", "U0ANN00001"},
      {"names in any case", {"ANN"}, event(), "email", "ann@example.com"},
      {"the owners of a namespace", {"owners"}, event(), "email", "bob@example.com"},
      {"their channel where there are channels", {"owners"}, event(), "slack", " #shop"},
      {"the first row that fits", {"owners"}, event("{}", "pay"), "email", "ann@example.com"},
      {"whose turn it is", {"oncall"}, event(), "email", "ann@example.com"},
      {"of one duty", {"oncall:sre"}, event(), "email", "ann@example.com"},
      {"several, each once", {"trigger", "owners", "ann"}, event(), "email",
       "ann@example.com bob@example.com"},
      {"a label's person by template", {"{{ .labels.owner }}"}, event(), "email", "bob@example.com"},
      {"several words of a template", {"{{ .labels.owner }}, oncall"}, event(), "email",
       "bob@example.com ann@example.com"},
      {"a fixed contact of anywhere", {"eve@other.example"}, event(), "email", "eve@other.example"},
      {"a user's own address in the sender's domain", {"trigger"},
       event(R"({"who":"carl@Example.com"})"), "email", "carl@Example.com"},
      {"nobody's address in another domain is not mailed", {"trigger"},
       event(R"({"who":"eve@evil.example"})"), "email", " +fixed"},
      {"an event that does not say who", {"trigger"}, event("{}"), "email", " +fixed"},
      {"data that is no JSON", {"trigger"}, event("{"), "email", " +fixed"},
      {"a person without this contact", {"bob"}, event(), "dingtalk", " +fixed"},
      {"a name nobody has", {"carol"}, event(), "dingtalk", " +fixed"},
      {"a duty nobody has", {"oncall:dba"}, event(), "email", " +fixed"},
      {"a template that says nothing", {"{{ .labels.none }}"}, event(), "email", " +fixed"},
      {"a template that fails", {"{{ fail \"x\" }}"}, event(), "email", " +fixed"},
  };
  for (const auto& c : cases) EXPECT_EQ(found(c.whom, c.event, c.sink), c.want) << c.claim;
}

TEST(People, TheFixedListIsToldAsTheSubscriptionSays) {
  const struct {
    FallBack fall_back;
    std::vector<std::string> whom;
    std::string_view want;
  } cases[] = {
      {FallBack::kNobody, {"ann", "carol"}, "ann@example.com"},
      {FallBack::kUnknown, {"ann", "carol"}, "ann@example.com +fixed"},
      {FallBack::kUnknown, {"ann"}, "ann@example.com"},
      {FallBack::kAlways, {"ann"}, "ann@example.com +fixed"},
      {FallBack::kNobody, {"carol"}, " +fixed"},
  };
  for (const auto& c : cases) EXPECT_EQ(found(c.whom, event(), "email", c.fall_back), c.want);
}

TEST(People, DutiesTurnAndAreStoodInFor) {
  OnCall week{.name = "sre", .people = {"a", "b", "c"}, .since_ms = kNow, .turn_ms = 7 * kDay};
  const struct {
    int64_t at;
    std::string_view want;
  } cases[] = {{kNow - 1, "a"},           {kNow, "a"},
               {kNow + 7 * kDay - 1, "a"}, {kNow + 7 * kDay, "b"},
               {kNow + 20 * kDay, "c"},    {kNow + 21 * kDay, "a"}};
  for (const auto& c : cases) EXPECT_EQ(on_duty(week, c.at), std::vector<std::string>{std::string(c.want)});
  week.turn_ms = 0;
  EXPECT_EQ(on_duty(week, kNow).size(), 3u);

  Directory d = house();
  d.oncall.push_back({.name = "leave", .duty = "sre", .people = {"bob"}, .from_ms = kNow, .to_ms = kNow + kDay});
  Manner m;
  m.whom = {"oncall"};
  const auto at = [&](int64_t now) {
    return join(resolve(d, m, *find_sink("email")->contacts, event(), "", now).contacts, " ");
  };
  EXPECT_EQ(at(kNow - 1), "ann@example.com");
  EXPECT_EQ(at(kNow), "bob@example.com");
  EXPECT_EQ(at(kNow + kDay), "ann@example.com");
}

TEST(People, TheStoryTellsWhomEachWordFound) {
  Manner m;
  m.whom = {"trigger", "owners", "carol"};
  const auto r = resolve(house(), m, *find_sink("email")->contacts, event(), "", kNow);
  EXPECT_EQ(r.story,
            "trigger: ann <ann@example.com>; owners: (shop) bob <bob@example.com>; "
            "carol: nobody is known as carol");
  m.whom = {"carol"};
  EXPECT_EQ(resolve(house(), m, *find_sink("email")->contacts, event(), "", kNow).story,
            "carol: nobody is known as carol; so the sink's own list");
}

TEST(People, ContactsOfACrowdAreLimited) {
  Manner m;
  std::string all;
  for (int i = 0; i < 1000; ++i) append(all, {"p", cat(i), "@example.com "});
  m.whom = {all};
  EXPECT_EQ(resolve({}, m, *find_sink("email")->contacts, event(), "", kNow).contacts.size(),
            kMostContacts);
}

// ---- what the sinks make of it

Claimed claimed(std::string_view sink, std::string options, std::string secret = "") {
  Claimed c;
  c.event = event();
  c.subscription.sink_kind = sink;
  c.subscription.options = std::move(options);
  c.subscription.secret = std::move(secret);
  c.subscription.manner.whom = {"trigger", "owners"};
  return c;
}

TEST(Recipients, EachSinkCallsThem) {
  const struct {
    std::string_view sink, options, secret, want;
  } cases[] = {
      {"email", R"({"url":"smtp://m.example","from":"ops@example.com","to":["all@example.com"]})", "",
       "To: ann@example.com,\r\n bob@example.com\r\n"},
      {"dingtalk", R"({"url":"https://a.example/x","mention":["1"]})", "",
       R"("atMobiles":["13800000001"])"},
      {"feishu", R"({"url":"https://a.example/x"})", "", R"(<at user_id=\"ou_ann\"></at>)"},
      {"wecom", R"({"url":"https://a.example/x"})", "", "<@ann.w>"},
      {"wecom", R"({"url":"https://a.example/x","format":"text"})", "", R"("mentioned_list":["ann.w"])"},
      {"slack", R"({"channel":"#all"})", "xoxb-token", R"("channel":"#shop")"},
      {"slack", R"({"channel":"#all"})", "xoxb-token", "<@U0ANN00001>"},
  };
  for (const auto& c : cases) {
    Claimed it = claimed(c.sink, std::string(c.options), std::string(c.secret));
    ASSERT_TRUE(find_sink(c.sink)->check(it.subscription)) << c.sink;
    find_recipients(it, house(), kNow);
    const auto message = addressed({&it, 1});
    const auto request = find_sink(c.sink)->request(message, kNow);
    ASSERT_TRUE(request) << c.sink << ": " << request.error().text();
    const std::string body =
        replace_all(replace_all(request->body, "\\u003c", "<"), "\\u003e", ">");
    EXPECT_NE(body.find(c.want), std::string::npos)
        << c.sink << ": " << request->body;
  }
}

TEST(Recipients, WhoeverIsFoundForAnyOfManyIsTold) {
  Claimed one = claimed("email", R"({"from":"a@example.com","to":["all@example.com"]})");
  Claimed two = one;
  one.subscription.manner.whom = two.subscription.manner.whom = {"trigger"};
  two.event.event.data = R"({"who":"nobody"})";
  Claimed events[] = {one, two};
  for (Claimed& c : events) find_recipients(c, house(), kNow);
  EXPECT_EQ(addressed(events)[0].subscription.options,
            R"({"from":"a@example.com","to":["ann@example.com","all@example.com"]})");
  EXPECT_EQ(told_text(events),
            "trigger: ann <ann@example.com>\n"
            "trigger: nobody is known as nobody; so the sink's own list");
}

TEST(Recipients, WithoutWhomNothingChanges) {
  Claimed c = claimed("email", R"({"to":["all@example.com"]})");
  c.subscription.manner.whom.clear();
  find_recipients(c, house(), kNow);
  EXPECT_EQ(addressed({&c, 1})[0].subscription.options, R"({"to":["all@example.com"]})");
  EXPECT_EQ(told_text({&c, 1}), "");
}

}  // namespace
}  // namespace pintle::lookout
