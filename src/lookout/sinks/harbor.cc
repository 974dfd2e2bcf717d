// Harbor: gives the artifact of an image that a node has pulled a tag of its own, so that retention
// and garbage collection leave what runs alone (spec events-informers §4.7). By digest, never by the
// tag that was pulled: that may have moved since.
//
// Subscribe it to "image.pulled". Options: url (Harbor's), user (a robot that may create tags and read
// artifacts, and delete tags if they move), template (the tag's name), moving. The secret is the robot's password.
// - A fixed tag is created once for each digest: "rel-RELEASE-REVISION", where one of them
//   is not known "running-DIGEST". Where it is in the repository already, it is looked at what it is
//   at: at this digest all is well. At another (two images of one release, or of two processors) this
//   one gets "running-DIGEST" and the attempt says so, for what runs must be held by some tag; likewise
//   where the robot may not look.
// - A moving one, "deployed-ENVIRONMENT-REGION", is at what was pulled last. Harbor moves no tag:
//   where one is in the way it is deleted and created anew. Its subscription is told in order.
// An image of another registry, one without a digest and one that this Harbor does not hold are
// passed over. Of many pods that pull the same, one makes a request (SinkKind::mark).
//
// Harbor's answers, as its API v2.0 gives them: 201; 409 the tag is in that repository, at whichever
// artifact; 404 no such artifact; 412 the tag is immutable; 405 the project is a proxy's cache; 401
// and 403 the robot (403 for a project that is not there, too).
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr size_t kTagBytes = 128;
constexpr size_t kWhyBytes = 300;
constexpr size_t kDigestAt = 7, kShort = 12;  // behind "sha256:"; as in kFixed
constexpr Limit kRate = {20, 1000};  // requests a second: a burst of 15, the rest spread
constexpr std::string_view kFixed =
    "{{ if and .release .revision }}rel-{{ .release }}-{{ .revision }}{{ else }}"
    "running-{{ .data.digest | trimPrefix \"sha256:\" | trunc 12 }}{{ end }}";
constexpr std::string_view kMoving =
    "deployed-{{ if .environment }}{{ .environment }}-{{ end }}{{ .region }}";

struct Settings {
  SinkOptions options;
  std::string url, password;
};

Result<Settings> read(const Subscription& s) {
  Settings out;
  out.options = TRY(read_options(s, {"url", "user", "template", "moving", "timeout_ms", "ca",
                                     "certificate", "key"}));
  if (out.options.body.empty()) out.options.body = out.options.moving ? kMoving : kFixed;
  out.url = out.options.url;
  while (out.url.ends_with('/')) out.url.pop_back();
  out.password = trim_space(s.secret);
  return out;
}

Status check(const Subscription& s) {
  const Settings it = TRY(read(s));
  TRY(check_template(it.options.body));
  TRY(check_tls_options(it.options));
  if (it.options.moving && s.order_by != "region" && s.order_by != "subscription") {
    return Error(Code::kInvalidArgument,
                 "moving: wants an order_by of \"region\" or \"subscription\", so that the last one wins");
  }
  return check_url_option(it.url);
}

Result<Route> route(const Subscription& s) {
  const Settings it = TRY(read(s));
  Route route = TRY(route_to(kHarbor.name, it.url, it.options, 1));
  append(route.key, {" ", it.options.user});
  return route;
}

// Host and port as images name them.
std::string_view registry_at(std::string_view url) {
  const size_t scheme = url.find("://");
  std::string_view host = scheme == url.npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  const std::string_view usual = url.starts_with("https:") ? ":443" : ":80";
  return host.ends_with(usual) ? host.substr(0, host.size() - usual.size()) : host;
}

// "registry/project/a/b:tag" or "...@sha256:..." of a registry: {project, a/b}.
struct Image {
  std::string_view project, repository;
};
std::optional<Image> image_at(std::string_view image, std::string_view registry) {
  if (!image.starts_with(registry)) return std::nullopt;
  image.remove_prefix(registry.size());
  if (!image.starts_with('/')) return std::nullopt;
  image.remove_prefix(1);
  image = image.substr(0, image.find('@'));
  const size_t slash = image.find('/');
  if (slash == 0 || slash == image.npos) return std::nullopt;
  const Image out{image.substr(0, slash), image.substr(slash + 1)};
  const size_t tag = out.repository.rfind(':');
  return Image{out.project, out.repository.substr(0, tag)};
}

bool is_digest(std::string_view text) {
  constexpr size_t kHexDigits = 64;
  return text.starts_with("sha256:") && text.size() == 7 + kHexDigits &&
         text.find_first_not_of("0123456789abcdef", 7) == text.npos;
}

// What a registry takes for a tag: other characters become "-", and it begins with none of ".-".
std::string as_tag(std::string_view text) {
  std::string out;
  for (const char c : trim_space(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || (!out.empty() && (c == '-' || c == '.'));
    if (plain || !out.empty()) out += plain ? c : '-';
  }
  return out.substr(0, kTagBytes);
}

// What an event asks for; without an artifact there is nothing to do.
struct Wanted {
  Settings it;
  std::string repository, digest, tag;  // repository: its address, without artifacts
  std::string running() const { return cat("running-", digest.substr(kDigestAt, kShort)); }
};
Result<Wanted> wanted(const Claimed& c) {
  Wanted out{TRY(read(c.subscription)), {}, {}, {}};
  const auto data = json::read(c.event.event.data);
  const auto text = [&](std::string_view key) -> std::string_view {
    const value::Value* v = data ? data->get(key) : nullptr;
    return v && v->is_string() ? v->as_string() : std::string_view();
  };
  // Where the node has it from; without an @ its digest is one of the node's own, of no registry.
  const std::string_view id = text("image_id"), digest = text("digest");
  if ((!id.empty() && id.find('@') == id.npos) || !is_digest(digest)) return out;
  const std::string_view registry = registry_at(out.it.url);
  auto image = image_at(id, registry);
  if (!image) image = image_at(text("image"), registry);
  if (!image || image->repository.empty()) return out;
  out.tag = as_tag(TRY(render_template(out.it.options.body, c.event)));
  if (out.tag.empty()) return Error(Code::kInvalidArgument, "the template makes no tag");
  out.digest = digest;
  // Harbor wants a slash inside a repository's name encoded twice.
  out.repository = cat(out.it.url, "/api/v2.0/projects/", query_escape(image->project),
                       "/repositories/", query_escape(query_escape(image->repository)));
  return out;
}

http::Request authorized(const Settings& it) {
  http::Request r;
  r.headers = {{"Content-Type", "application/json"}, {"User-Agent", "pintle-lookout"}};
  if (!it.options.user.empty()) {
    const std::string pair = cat(it.options.user, ":", it.password);
    r.headers.emplace_back("Authorization", cat("Basic ", crypt::base64_encode(pair)));
  }
  return r;
}

http::Request creation(const Wanted& w, std::string_view tag) {
  http::Request r = authorized(w.it);
  r.method = "POST";
  r.url = cat(w.repository, "/artifacts/", w.digest, "/tags");
  r.body = cat("{\"name\":", json::quoted(tag), "}");
  return r;
}

// What the tag is at.
http::Request lookup(const Wanted& w) {
  http::Request r = authorized(w.it);
  r.method = "GET";
  r.url = cat(w.repository, "/artifacts/", w.tag);
  return r;
}

// Wherever in the repository it is.
http::Request deletion(const Wanted& w) {
  http::Request r = authorized(w.it);
  r.method = "DELETE";
  r.url = cat(w.repository, "/artifacts/", w.tag, "/tags/", w.tag);
  return r;
}

Result<http::Request> request(std::span<const Claimed> events, int64_t) {
  const Wanted w = TRY(wanted(events[0]));
  return w.tag.empty() ? http::Request{} : creation(w, w.tag);
}

Result<Mark> mark(const Claimed& c) {
  const Wanted w = TRY(wanted(c));
  if (w.tag.empty()) return Mark{};
  const bool moving = w.it.options.moving;
  const std::string all = cat(w.repository, "\n", moving ? "" : w.digest, "\n", w.tag);
  return Mark{cat("harbor/", crypt::hex(crypt::sha256(all))), moving ? w.digest : "", 0};
}

// {"errors":[{"code":"CONFLICT","message":"..."}]}
std::string said(const http::Response& r) {
  const auto body = json::read(r.body);
  const value::Value* errors = body ? body->get("errors") : nullptr;
  if (errors == nullptr || errors->items().empty()) return "";
  const std::string_view text = text_at(errors->items()[0], {"message"});
  return text.empty() ? "" : cat(": ", clean_text(text, kWhyBytes));
}

// There already, or not held here: nothing is left to do. What is immutable stays refused.
Verdict judge(const http::Response& r) {
  Verdict v = judge_status(r);
  if (r.status != 409 && r.status != 404) {
    if (!v.why.empty()) v.why += said(r);
    return v;
  }
  v = {};
  v.status = r.status;
  return v;
}

Step next_of_fixed(const Wanted& w, const http::Request& last, const http::Response& answer) {
  const std::string running = w.running();
  if (last.method == "POST") {
    const bool instead = w.tag != running && last.body == creation(w, running).body;
    if (answer.status == 409 && !instead && w.tag != running) return {lookup(w), {}};
    Verdict v = judge(answer);
    if (instead && v.outcome == Outcome::kSucceeded) {
      v.why = cat("the tag ", w.tag, " is at another artifact, or cannot be looked at: ", running,
                  " holds this one");
    }
    return {{}, std::move(v)};
  }
  Verdict v = judge(answer);
  if (answer.status == 404) {
    v.outcome = Outcome::kRetry;
    v.why = cat("the tag ", w.tag, " comes and goes");
  }
  if (v.outcome == Outcome::kRetry) return {{}, std::move(v)};
  const auto artifact = json::read(answer.body);
  const bool here = answer.status == 200 && artifact && text_at(*artifact, {"digest"}) == w.digest;
  return here ? Step{{}, std::move(v)} : Step{creation(w, running), {}};
}

Step next(std::span<const Claimed> events, const http::Request& last, const http::Response& answer,
          int n) {
  const auto w = wanted(events[0]);
  if (!w) return {{}, judge(answer)};
  if (!w->it.options.moving) return next_of_fixed(*w, last, answer);
  const bool gone = last.method == "DELETE" && (answer.status == 200 || answer.status == 404);
  if (gone) return {creation(*w, w->tag), {}};
  if (last.method == "DELETE" || answer.status != 409) return {{}, judge(answer)};
  if (n == 1) return {deletion(*w), {}};
  Verdict v;  // made anew, and again it is in the way
  v.outcome = Outcome::kRetry;
  v.why = "somebody else moves this tag, too";
  v.status = answer.status;
  return {{}, std::move(v)};
}

}  // namespace

const SinkKind kHarbor = {.name = "harbor",
                          .check = check,
                          .route = route,
                          .request = request,
                          .judge = judge,
                          .limits = {kRate},
                          .next = next,
                          .mark = mark};

}  // namespace pintle::lookout
