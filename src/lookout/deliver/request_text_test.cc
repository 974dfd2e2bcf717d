#include "lookout/deliver/request_text.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

Claimed claimed(std::string kind, std::string options, std::string secret) {
  Claimed c;
  c.event = {.sequence = 42, .stored_ms = 1, .region = "eu-1", .cluster_uid = "c-1", .event = {}};
  c.event.event.type = "release.failed";
  c.event.event.message = "it's gone";
  c.subscription.sink_kind = std::move(kind);
  c.subscription.options = std::move(options);
  c.subscription.secret = std::move(secret);
  return c;
}

TEST(RequestText, CurlHoldsNoSecret) {
  const struct {
    const char *kind, *options, *secret, *hidden;
  } cases[] = {
      {"webhook", R"({"url":"https://a.example/path-with-token","headers":{"Authorization":"Bearer t0ken1"}})", "", "t0ken1"},
      {"webhook", R"({"url":"https://a.example/path-with-token"})", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "MDEyMzQ1"},
      {"webhook", R"({"url":"https://a.example/x","format":"horizon"})", "clear-secret", "clear-secret"},
      {"slack", "{}", "https://hooks.slack.com/services/T0/B0/s3cretpart", "s3cretpart"},
      {"dingtalk", "{}", "https://oapi.dingtalk.com/robot/send?access_token=t0ken23 SECabcdefg", "t0ken23"},
      {"feishu", R"({"url":"https://open.feishu.cn/open-apis/bot/v2/hook/h00k-id"})", "signing-key", "h00k-id"},
  };
  for (const auto& c : cases) {
    const std::string text = curl_text(claimed(c.kind, c.options, c.secret), 1000);
    EXPECT_NE(text.find("curl -i"), std::string::npos) << c.kind << text;
    EXPECT_EQ(text.find(c.hidden), std::string::npos) << text;
    EXPECT_EQ(text.find("path-with-token"), std::string::npos) << text;
    EXPECT_NE(text.find("\"$URL\""), std::string::npos) << text;
  }
}

TEST(RequestText, CurlSignsAWebhookAnew) {
  const std::string text = curl_text(
      claimed("webhook", R"({"url":"https://a.example/x"})", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="), 1000);
  EXPECT_NE(text.find("-H \"webhook-signature: v1,$sign\""), std::string::npos) << text;
  EXPECT_NE(text.find("-H \"webhook-timestamp: $at\""), std::string::npos) << text;
  EXPECT_NE(text.find("it'\\''s gone"), std::string::npos) << text;  // quoted for the shell
  EXPECT_NE(text.find("URL='https://a.example/...'"), std::string::npos) << text;
}

TEST(RequestText, CurlIsNothingForWhatIsNoHttp) {
  EXPECT_EQ(curl_text(claimed("stdout", "{}", ""), 0), "");
  EXPECT_EQ(curl_text(claimed("pigeon", "{}", ""), 0), "");
  EXPECT_EQ(curl_text(claimed("email", R"({"url":"smtp://m.example","from":"a@b.c","to":["d@e.f"]})", ""), 0), "");
  // Harbor has nothing to tell of what is no image.
  EXPECT_EQ(curl_text(claimed("harbor", R"({"url":"https://h.example"})", ""), 0), "");
}

TEST(RequestText, OfEverySinkIsWhatItTells) {
  const std::string secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  const struct {
    const char *kind, *options;
    std::string secret, told;
  } cases[] = {
      {"webhook", R"({"url":"https://a.example/x","template":"{{ .type | toJson }}"})", secret, R"("release.failed")"},
      {"slack", R"({"template":"{{ .type }}"})", "https://hooks.slack.com/services/T0/B0/s3", R"({"text":"release.failed"})"},
      {"stdout", R"({"template":"{{ .type }}"})", "", "release.failed\n"},
      {"file", R"({"path":"f","template":"{{ .type }}"})", "", "release.failed\n"},
      {"nats", R"({"url":"tls://n.example:4222","subject":"to.{{ .region }}","template":"{{ .type }}"})", "a:b",
       "subject: to.eu-1\nNats-Msg-Id: ID\n\nrelease.failed"},
      {"kafka", R"({"brokers":["k.example:9092"],"tls":true,"topic":"to.{{ .region }}","template":"{{ .type }}"})", "",
       "topic: to.eu-1\nkey: \nwebhook-id: ID\ncontent-type: application/json\n\nrelease.failed"},
      {"harbor", R"({"url":"https://h.example"})", "", ""},
  };
  for (const auto& c : cases) {
    const Claimed told = claimed(c.kind, c.options, c.secret);
    const auto text = body_text(told, 1000);
    ASSERT_TRUE(text) << c.kind << ": " << text.error().text();
    EXPECT_EQ(replace_all(*text, webhook_id(told), "ID"), c.told) << c.kind;
  }
  EXPECT_FALSE(body_text(claimed("webhook", R"({"url":"https://a.example/x","template":"{{ fail \"no\" }}"})", ""), 0));
  EXPECT_FALSE(body_text(claimed("pigeon", "{}", ""), 0));
}

TEST(RequestText, OfARobotHoldsNoSignature) {
  const auto text = body_text(claimed("feishu", R"({"url":"https://open.feishu.cn/open-apis/bot/v2/hook/h00k-id"})", "signing-key"), 1000);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("\"sign\":\"***\""), std::string::npos) << *text;
}

}  // namespace
}  // namespace pintle::lookout
