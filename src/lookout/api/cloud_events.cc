#include "lookout/api/cloud_events.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "httpd/query.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostAtOnce = 1000;
constexpr size_t kLongest = 253;  // of a name
constexpr std::string_view kHeader = "ce-";

struct Attributes {
  std::map<std::string, std::string> texts;
  value::Value data;  // nil: there is none

  std::string_view get(const std::string& name) const {
    const auto it = texts.find(name);
    return it == texts.end() ? std::string_view() : it->second;
  }
};

Error bad(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

// "application/json; charset=utf-8" -> "application/json"
std::string media_type(std::string_view header) {
  return to_lower(trim_space(header.substr(0, header.find(';'))));
}

bool is_json(std::string_view media) {
  return media.empty() || media == "application/json" || media.ends_with("+json");
}

Result<Attributes> structured(const value::Value& v) {
  Attributes out;
  if (!v.is_map()) return bad("want an object");
  for (const auto& [name, item] : *v.as_map()) {
    if (name.view() == "data") {
      out.data = item;
    } else if (item.is_string()) {
      out.texts.emplace(name.view(), item.as_string());
    }
  }
  return out;
}

Result<Attributes> binary(const std::map<std::string, std::string>& headers, std::string_view media,
                          std::string_view body) {
  Attributes out;
  for (const auto& [name, value] : headers) {
    if (!name.starts_with(kHeader)) continue;
    auto text = httpd::percent_decode(value);
    if (!text) return bad(cat(name, ": is no percent-encoding"));
    out.texts.emplace(name.substr(kHeader.size()), std::move(*text));
  }
  if (body.empty()) return out;
  if (!is_json(media)) {
    out.data = value::Value::string(clean_text(body));
    return out;
  }
  auto read = json::read(body, {json::Numbers::kExact});
  if (!read) return bad(cat("data: ", read.error().text()));
  out.data = std::move(*read);
  return out;
}

// The data, or its first member, that is an object with a name. `member`: its key; "": it is the data.
const value::Value* object_in(const value::Value& data, std::string_view& member) {
  const auto named = [](const value::Value& v) { return !text_at(v, {"metadata", "name"}).empty(); };
  if (!data.is_map()) return nullptr;
  if (named(data)) return &data;
  for (const auto& [name, item] : *data.as_map()) {
    member = name.view();
    if (item.is_map() && named(item)) return &item;
  }
  return nullptr;
}

// As Tekton's objects say how they ended.
std::string_view outcome_text(const value::Value& object) {
  const value::Value* all = value_at(object, {"status", "conditions"});
  if (all == nullptr) return "";
  for (const value::Value& c : all->items()) {
    if (text_at(c, {"type"}) == "Succeeded") return text_at(c, {"message"});
  }
  return "";
}

void tell_object(const value::Value& object, std::string_view member, Event& e) {
  std::string kind(member);
  if (!kind.empty() && kind[0] >= 'a' && kind[0] <= 'z') kind[0] = static_cast<char>(kind[0] - 'a' + 'A');
  e.subject = subject_of(object, "", kind);
  e.labels = texts_at(object, {"metadata", "labels"});
  e.message = clean_text(outcome_text(object));
  const auto annotations = texts_at(object, {"metadata", "annotations"});
  const auto find = [](const auto& in, const char* name) {
    const auto it = in.find(name);
    return it == in.end() ? std::string() : it->second;
  };
  e.release = find(e.labels, "app.kubernetes.io/instance");
  if (e.release.empty()) {
    e.release = find(annotations, "meta.helm.sh/release-name");
    e.release_namespace = find(annotations, "meta.helm.sh/release-namespace");
  }
  if (!e.release.empty() && e.release_namespace.empty()) e.release_namespace = e.subject.name_space;
}

Result<Severity> severity_of_type(const Attributes& a, std::string_view type) {
  if (const std::string_view given = a.get("severity"); !given.empty()) {
    const auto known = severity_of(given);
    if (!known) return bad("severity: want \"info\", \"warning\" or \"error\"");
    return *known;
  }
  const auto words = split(type, ".");
  const bool failed = std::find(words.begin(), words.end(), "failed") != words.end();
  return failed ? Severity::kError : Severity::kInfo;
}

Result<Event> event_of(const Attributes& a, int64_t now_ms) {
  if (a.get("specversion") != "1.0") return bad("specversion: want \"1.0\"");
  for (const char* name : {"id", "source", "type"}) {
    if (a.get(name).empty()) return bad(cat(name, ": is missing"));
  }
  // Who is told by a lookout and tells it again would go round for ever.
  if (a.get("type") == kCloudEvent) return bad(cat("type: ", kCloudEvent, " was received before"));
  Event e;
  e.type = kCloudEvent;
  e.reason = clean_text(a.get("type"), kLongest);
  e.severity = TRY(severity_of_type(a, e.reason));
  e.time_ms = now_ms;
  if (const std::string_view time = a.get("time"); !time.empty()) {
    e.time_ms = time_ms(time);
    if (e.time_ms == 0) return bad("time: is none of RFC 3339");
  }
  std::string_view member;
  if (const value::Value* object = object_in(a.data, member)) {
    tell_object(*object, member, e);
  } else {
    e.subject.version = "v1";
    e.subject.kind = "CloudEvent";
    e.subject.name = clean_text(a.get("subject").empty() ? a.get("id") : a.get("subject"), kLongest);
    e.message = clean_text(text_at(a.data, {"message"}));
  }
  Data data;
  for (const char* name : {"id", "source", "type", "subject"}) data.text(name, clean_text(a.get(name)));
  data.text("data_base64", a.get("data_base64"));
  if (!a.data.is_nil()) data.raw("data", TRY(json::write(a.data)));
  e.data = data.take();
  e.dedup_key = cat("cloudevent/", crypt::hex(crypt::sha256(cat(a.get("source").size(), "/", a.get("source"), a.get("id")))));
  return e;
}

}  // namespace

Result<std::vector<Event>> read_cloud_events(const std::map<std::string, std::string>& headers,
                                             std::string_view body, int64_t now_ms) {
  const auto given = headers.find("content-type");
  const std::string media = media_type(given == headers.end() ? "" : given->second);
  std::vector<Event> out;
  if (headers.contains("ce-specversion")) {
    out.push_back(TRY(event_of(TRY(binary(headers, media, body)), now_ms)));
    return out;
  }
  const bool batch = media == "application/cloudevents-batch+json";
  if (!batch && media != "application/cloudevents+json" && media != "application/json") {
    return bad("content-type: want application/cloudevents+json, application/cloudevents-batch+json, or a ce-specversion");
  }
  const auto read = json::read(body, {json::Numbers::kExact});
  if (!read) return bad(read.error().text());
  if (!batch) {
    out.push_back(TRY(event_of(TRY(structured(*read)), now_ms)));
    return out;
  }
  if (!read->is_list()) return bad("want a list of events");
  if (read->items().size() > kMostAtOnce) return bad(cat("want at most ", kMostAtOnce, " events"));
  for (const value::Value& item : read->items()) {
    const auto attributes = structured(item);
    auto event = attributes ? event_of(*attributes, now_ms) : Result<Event>(attributes.error());
    if (!event) return bad(cat("[", out.size(), "]: ", event.error().text()));
    out.push_back(std::move(*event));
  }
  return out;
}

}  // namespace pintle::lookout
