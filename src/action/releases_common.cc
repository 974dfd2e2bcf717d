#include <algorithm>
#include <optional>

#include "action/releases.h"
#include "base/strings.h"
#include "kube/rest.h"

namespace pintle::action {

namespace {

// `Get "SERVER/api/v1/...": cause` of a request that could not be sent, as /version would have said it.
std::optional<Error> unsent(const Error& error) {
  const Error* innermost = &error;
  while (innermost->cause()) innermost = innermost->cause();
  const std::string& text = innermost->text();
  const size_t path = text.find("/api/v1/"), end = text.find("\": ");
  if (!text.starts_with("Get \"") || end == std::string::npos || path > end) return std::nullopt;
  const std::string_view cause = std::string_view(text).substr(end + 3);
  constexpr std::string_view kCauses[] = {"dial tcp", "net/http: TLS handshake timeout",
                                          "tls: failed to verify certificate", "remote error: tls: "};
  if (std::ranges::none_of(kCauses, [&](auto c) { return cause.starts_with(c); })) return std::nullopt;
  return Error::wrap("kubernetes cluster unreachable",
                     Error(innermost->code(), cat(text.substr(0, path), "/version\": ", cause)));
}

}  // namespace

Error not_reachable(const Context& context, const Error& why) {
  if (context.helm3) return why;
  const Error error = Error::wrap("cluster reachability check failed", why);
  context.log("ERROR", error.text());
  return error;
}

Error explained(Context& context, const Error& error) {
  if (storage::is_not_found(error) || context.cluster == nullptr) return error;
  if (auto why = unsent(error)) return std::move(*why);
  const Status reachable = context.cluster->reachable();
  return reachable ? error : reachable.error();
}

Result<render::Capabilities> capabilities(Context& context, render::Capabilities defaults) {
  auto version = context.cluster->version();
  if (!version) {
    return Error::wrap("could not get server version from Kubernetes", version.error());
  }
  auto apis = context.cluster->api_versions();
  if (!apis) return Error::wrap("could not get apiVersions from Kubernetes", apis.error());
  defaults.kube_version = {.version = version->git_version,
                           .major = version->major,
                           .minor = version->minor,
                           .normalized = {}};
  defaults.api_versions = std::move(*apis);
  return defaults;
}

std::vector<release::StoredHook> stored_hooks(std::vector<release::Hook> hooks) {
  std::vector<release::StoredHook> out;
  for (release::Hook& hook : hooks) {
    static_cast<release::Hook&>(out.emplace_back()) = std::move(hook);
  }
  return out;
}

Result<bool> server_side_apply(std::string_view asked, std::string_view before) {
  if (asked == "auto") return before == "ssa";
  if (asked == "true") return true;
  if (asked == "false") return false;
  return Error(Code::kInvalidArgument,
               cat("invalid/unknown release server-side apply method: ", asked));
}

Error counted_error(const Error& error) {
  const auto lines = split(error.text(), "\n");
  std::string out = cat(lines.size(), lines.size() == 1 ? " error" : " errors", " occurred:\n");
  for (std::string_view line : lines) append(out, {"\t* ", line, "\n"});
  return Error::with_cause(out + "\n", error);
}

Result<kube::Objects> create(Context& context, const kube::Objects& objects,
                             const kube::ApplyOptions& options) {
  auto created = context.cluster->create(objects, options);
  if (created || !context.helm3) return created;
  return counted_error(created.error());
}

std::string joined_errors(const std::vector<Error>& errors, std::string_view separator) {
  std::string out;
  for (const Error& e : errors) append(out, {out.empty() ? "" : separator, e.text()});
  return out;
}

}  // namespace pintle::action
