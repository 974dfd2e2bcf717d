// E-mail: one message over SMTP with STARTTLS (`plain` turns that off, for a relay on this
// machine). Message-ID is the webhook-id, so a repeat is known as one. The secret is the password.
#include <array>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr size_t kTextLimit = 256 << 10;
constexpr size_t kMerge = 100;
constexpr ContactKind kMail = {"mail", &Person::mail, "to", is_mailbox};

Error bad(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

Status check_mailbox(std::string_view key, std::string_view address) {
  return is_mailbox(address) ? ok() : bad(cat(key, ": ", quote(address), " is no address"));
}

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"url", "from", "to", "user", "plain", "subject", "template",
                                       "title", "timeout_ms", "ca", "certificate", "key"}));
  TRY(check_mailbox("from", o.from));
  if (o.to.empty()) return bad("to: is missing");
  for (const std::string& to : o.to) TRY(check_mailbox("to", to));
  return o;
}

Status check(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  TRY(check_template(o.body));
  TRY(check_template(o.subject));
  TRY(check_tls_options(o));
  TRY(check_url_option(o.url));
  return o.url.starts_with("smtp") ? ok() : bad("url: is no smtp:// or smtps:// address");
}

Result<Route> route(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  Route route = TRY(route_to(kEmail.name, o.url, o, kMerge));
  append(route.key, {" ", o.user});
  return route;
}

std::string_view domain_of(std::string_view address) {
  return address.substr(address.find('@') + 1);
}

// Header text: ASCII as it is, else in encoded words (RFC 2047) of whole runes.
std::string header_text(std::string_view text) {
  std::string clean, out;
  bool ascii = true;
  for (const char c : text) {
    ascii = ascii && static_cast<uint8_t>(c) < 0x80;
    clean += static_cast<uint8_t>(c) < ' ' || c == 0x7f ? ' ' : c;
  }
  clean = cut_text(clean, 300);
  if (ascii && clean.find("=?") == clean.npos) return clean;
  std::string_view rest = clean;
  while (!rest.empty()) {
    size_t n = 0;
    while (n < rest.size()) {
      const auto rune = static_cast<size_t>(decode_rune(rest.substr(n)).size);
      if (n + rune > 42) break;
      n += rune;
    }
    append(out, {out.empty() ? "" : "\r\n ", "=?UTF-8?B?", crypt::base64_encode(rest.substr(0, n)),
                 "?="});
    rest.remove_prefix(n);
  }
  return out;
}

// "Fri, 02 Jan 2026 03:04:05 +0000".
std::string mail_date(int64_t unix_ms) {
  static constexpr std::array<std::string_view, 7> kDays = {"Thu", "Fri", "Sat", "Sun",
                                                            "Mon", "Tue", "Wed"};
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::string t = time_text(unix_ms);
  const auto month = static_cast<size_t>((t[5] - '0') * 10 + (t[6] - '0') - 1);
  return cat(kDays[static_cast<size_t>(unix_ms / 86'400'000 % 7)], ", ", t.substr(8, 2), " ",
             kMonths.substr(month * 3, 3), " ", t.substr(0, 4), " ", t.substr(11, 8), " +0000");
}

Result<http::Request> request(std::span<const Claimed> events, int64_t now_ms) {
  const Claimed& first = events[0];
  const SinkOptions o = TRY(read(first.subscription));
  const std::string text =
      TRY(message_text(events, o, kTextLimit, [](std::string_view s) { return std::string(s); }));
  std::string subject = events.size() == 1 ? headline(first.event) : cat(events.size(), " events");
  if (!o.subject.empty()) subject = TRY(render_template(o.subject, first.event));

  http::Request r;
  r.url = o.url;
  r.mail = http::Mail{.from = cat("<", o.from, ">"),
                      .to = {},
                      .user = o.user,
                      .password = o.user.empty() ? "" : first.subscription.secret,
                      .plain = o.plain};
  for (const std::string& to : o.to) r.mail->to.push_back(cat("<", to, ">"));
  append(r.body,
         {"From: ", o.from, "\r\nTo: ", join(o.to, ",\r\n "), "\r\nSubject: ", header_text(subject),
          "\r\nDate: ", mail_date(now_ms), "\r\nMessage-ID: <", webhook_id(events), "@",
          domain_of(o.from), ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n",
          "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"});
  const std::string encoded = crypt::base64_encode(text);
  for (size_t at = 0; at < encoded.size(); at += 76) {
    append(r.body, {std::string_view(encoded).substr(at, 76), "\r\n"});
  }
  return r;
}

// A mail server's last reply: 4xx is for now; of 5xx what concerns the login or the service may
// change, the rest will not.
Verdict judge(const http::Response& r) {
  Verdict v;
  v.status = r.status;
  if (r.status < 400) return v;
  v.why = cat("the mail server answered ", r.body.empty() ? std::to_string(r.status) : r.body);
  const bool for_good =
      r.status == 550 || r.status == 551 || r.status == 552 || r.status == 553 || r.status == 554;
  v.outcome = for_good ? Outcome::kDead : Outcome::kRetry;
  v.alive = for_good;
  return v;
}

}  // namespace

const SinkKind kEmail = {.name = "email",
                         .check = check,
                         .route = route,
                         .request = request,
                         .judge = judge,
                         .limits = {Limit{60, 62'000}},
                         .contacts = &kMail};

}  // namespace pintle::lookout
