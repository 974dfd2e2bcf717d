#include "release/head.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "release/manifest.h"
#include "yaml/yaml.h"

namespace pintle::release {

using value::Type;
using value::Value;

namespace {

constexpr std::string_view kMetadataType =
    "struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string "
    "\"json:\\\"annotations\\\"\" }";

// What encoding/json calls the kind of a JSON value.
std::string_view json_kind(const Value& v) {
  if (v.is_map()) return "object";
  if (v.is_list()) return "array";
  if (v.is_string()) return "string";
  return v.is(Type::kBool) ? "bool" : "number";
}

bool same_name(std::string_view key, std::string_view field) {
  if (key.size() != field.size()) return false;
  for (size_t i = 0; i < key.size(); ++i) {
    if (((key[i] ^ field[i]) & ~0x20) != 0) return false;
    if (key[i] != field[i] && ((key[i] | 0x20) < 'a' || (key[i] | 0x20) > 'z')) return false;
  }
  return true;
}

// Reads on after an error, as encoding/json does, and keeps the first.
class HeadReader {
 public:
  explicit HeadReader(bool helm3) : helm3_(helm3) {}

  Result<Head> read(const Value& document) {
    if (document.is_map()) {
      for (const auto& [key, v] : *document.as_map()) {
        if (same_name(key, "apiVersion")) text(v, "SimpleHead.apiVersion", head_.api_version);
        if (same_name(key, "kind")) text(v, "SimpleHead.kind", head_.kind);
        if (same_name(key, "metadata")) metadata(v);
      }
    } else if (!document.is_nil()) {
      fail(cat("value of type ", helm3_ ? "releaseutil" : "util", ".SimpleHead"), document);
    }
    if (!error_.empty()) {
      return Error(Code::kInvalidArgument,
                   cat("error unmarshaling JSON: while decoding JSON: json: ", error_));
    }
    return std::move(head_);
  }

 private:
  void fail(std::string_view target, const Value& v) {
    if (error_.empty()) error_ = cat("cannot unmarshal ", json_kind(v), " into Go ", target);
  }

  void text(const Value& v, std::string_view field, std::string& out) {
    switch (v.type()) {
      case Type::kNil: break;
      case Type::kString: out = v.as_string(); break;
      case Type::kBool: out = v.as_bool() ? "true" : "false"; break;
      case Type::kInt:
      case Type::kInt64: out = cat(v.as_int()); break;
      case Type::kUint64: out = cat(v.as_uint()); break;
      case Type::kFloat64:
        out.clear();
        append_float(out, v.as_double(), 'g', -1, 32);
        break;
      default: fail(cat("struct field ", field, " of type string"), v);
    }
  }

  void metadata(const Value& v) {
    if (v.is_nil()) {
      head_.name.clear();
      head_.annotations.clear();
      return;
    }
    if (!v.is_map()) {
      fail(cat("struct field SimpleHead.metadata of type ", kMetadataType), v);
      return;
    }
    for (const auto& [key, item] : *v.as_map()) {
      if (same_name(key, "name")) text(item, ".metadata.name", head_.name);
      if (same_name(key, "annotations")) annotations(item);
    }
  }

  void annotations(const Value& v) {
    if (v.is_nil()) {
      head_.annotations.clear();
      return;
    }
    if (!v.is_map()) {
      fail("struct field .metadata.annotations of type map[string]string", v);
      return;
    }
    for (const auto& [key, item] : *v.as_map()) {
      std::string& out = head_.annotations[std::string(key.view())];
      out.clear();
      text(item, ".metadata.annotations", out);
    }
  }

  bool helm3_;
  Head head_;
  std::string error_;
};

}  // namespace

Result<Head> parse_head(std::string_view document, bool helm3) {
  static const yaml::Fields kFields = {"apiVersion", "kind", "metadata.name",
                                       "metadata.annotations"};
  return HeadReader(helm3).read(TRY(yaml::read_fields(document, kFields)));
}

Documents read_documents(std::string_view file, bool helm3) {
  Documents out;
  for (std::string_view text : split_manifests(file, helm3)) {
    out.texts.push_back(text);
    out.heads.push_back(parse_head(text, helm3));
    if (!out.heads.back()) break;
  }
  return out;
}

}  // namespace pintle::release
