// Harbor: gives the artifact of an image that a node has pulled a tag of its own, so that retention
// and garbage collection leave what runs alone (spec events-informers §4.7). By digest, never by the
// tag that was pulled: that may have moved since.
//
// Subscribe it to "image.pulled". Options: url (Harbor's), user (a robot that may create tags),
// template (the tag's name; "rel-RELEASE-REVISION", without a release "deployed-REGION"). The secret
// is the robot's password. An image of another registry, one without a digest and one that this
// Harbor does not hold are passed over; a tag that is there already is a success, so doing it again
// is harmless.
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr size_t kTagBytes = 128;
constexpr std::string_view kTag =
    "{{ if .release }}rel-{{ .release }}-{{ .revision }}{{ else }}deployed-{{ .region }}{{ end }}";

struct Settings {
  SinkOptions options;
  std::string url, password;
};

Result<Settings> read(const Subscription& s) {
  Settings out;
  out.options = TRY(read_options(s, {"url", "user", "template", "timeout_ms", "ca"}));
  if (out.options.body.empty()) out.options.body = kTag;
  out.url = out.options.url;
  while (out.url.ends_with('/')) out.url.pop_back();
  out.password = trim_space(s.secret);
  return out;
}

Status check(const Subscription& s) {
  const Settings it = TRY(read(s));
  TRY(check_template(it.options.body));
  return check_url_option(it.url);
}

Result<Route> route(const Subscription& s) {
  const Settings it = TRY(read(s));
  Route route = TRY(route_to(kHarbor.name, it.url, it.options, 1));
  append(route.key, {" ", it.options.user});
  return route;
}

// "registry/project/a/b:tag" or "...@sha256:..." of a registry: {project, a/b}.
struct Image {
  std::string_view project, repository;
};
std::optional<Image> image_at(std::string_view image, std::string_view url) {
  const size_t scheme = url.find("://");
  std::string_view host = scheme == url.npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (!image.starts_with(host)) return std::nullopt;
  image.remove_prefix(host.size());
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

// A request without a URL: there is nothing to do.
Result<http::Request> request(std::span<const Claimed> events, int64_t) {
  const Claimed& c = events[0];
  const Settings it = TRY(read(c.subscription));
  const auto data = json::read(c.event.event.data);
  const auto text = [&](std::string_view key) -> std::string_view {
    const value::Value* v = data ? data->get(key) : nullptr;
    return v && v->is_string() ? v->as_string() : std::string_view();
  };
  const auto image = image_at(text("image"), it.url);
  const std::string_view digest = text("digest");
  if (!image || image->repository.empty() || !is_digest(digest)) return http::Request{};
  const std::string tag = as_tag(TRY(render_template(it.options.body, c.event)));
  if (tag.empty()) return Error(Code::kInvalidArgument, "the template makes no tag");
  http::Request r;
  r.method = "POST";
  // Harbor wants a slash inside a repository's name encoded twice.
  r.url = cat(it.url, "/api/v2.0/projects/", query_escape(image->project), "/repositories/",
              query_escape(query_escape(image->repository)), "/artifacts/", digest, "/tags");
  r.body = cat("{\"name\":", json::quoted(tag), "}");
  r.headers = {{"Content-Type", "application/json"}, {"User-Agent", "pintle-lookout"}};
  if (!it.options.user.empty()) {
    r.headers.emplace_back(
        "Authorization", cat("Basic ", crypt::base64_encode(cat(it.options.user, ":", it.password))));
  }
  return r;
}

// There already, or not held here: nothing is left to do. What is immutable stays refused.
Verdict judge(const http::Response& r) {
  Verdict v = judge_status(r);
  if (r.status != 409 && r.status != 404) return v;
  v = {};
  v.status = r.status;
  return v;
}

}  // namespace

const SinkKind kHarbor = {
    .name = "harbor", .check = check, .route = route, .request = request, .judge = judge};

}  // namespace pintle::lookout
