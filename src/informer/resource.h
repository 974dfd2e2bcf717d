// Resource: what is listed and watched, and the requests that do it (the wire side of a reflector).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/rest.h"

namespace pintle::informer {

struct Resource {
  std::string group = {}, version = "v1", plural = {};  // "" "v1" "events"
  std::string name_space = {};                // "": all
  std::string label_selector = {}, field_selector = {};
  std::string kind = {};        // checked in watch frames, with its apiVersion; "": any
  bool metadata_only = false;   // PartialObjectMetadata: heads, labels, annotations, owners
};

std::string path_of(const Resource& r);  // "/apis/apps/v1/namespaces/x/deployments"
std::string api_version_of(const Resource& r);  // "apps/v1", "v1"; "" without a version
std::string key_of(const Resource& r);   // equal for equal resources

struct ListQuery {
  int64_t limit = 0;
  std::string version = {}, match = {}, next_page = {};
};
kube::Call list_call(const Resource& r, const ListQuery& q);

// The heads of one object, by its key; of any when that is "".
kube::Call one_call(Resource r, std::string_view key);

struct WatchQuery {
  std::string version;
  int64_t timeout_seconds = 0;
  bool initial_events = false;  // the streaming list
};
kube::Call watch_call(const Resource& r, const WatchQuery& q);

// What kind of refusal an answer or an ERROR frame is; only these change what a reflector does.
enum class Refusal : uint8_t {
  kNone,       // no answer of the server
  kExpired,    // 410, Expired, Gone
  kTooLarge,   // resourceVersion newer than the server knows ("Too large resource version")
  kBusy,       // 429
  kInternal,   // InternalError
  kDenied,     // 401, 403
  kAbsent,     // 404: the kind is not (or no longer) served
  kOther,
};
Refusal refusal_of(const Error& e);
bool connection_refused(const Error& e);
// The stream broke or timed out: as good as its end (utilnet.IsProbableEOF, IsTimeout).
bool broken_stream(const Error& e);
// The peer was not heard of for too long, or is not there: nobody said that the server is gone.
bool silent_peer(const Error& e);

// Detail of the error that says that the server's versions went back: it was restored from an older
// state, and what it says from now on may have versions that something else has had.
struct WentBack : ErrorDetail {
  std::string from, to;
};
Error went_back(std::string from, std::string to);
// A resourceVersion as servers give them out: a number. What is none cannot be compared.
std::optional<uint64_t> version_number(std::string_view version);
// Both are numbers, and `a` is the smaller.
bool older_version(std::string_view a, std::string_view b);

// The error an ERROR frame's Status stands for.
Error frame_error(std::string_view status_json);

}  // namespace pintle::informer
