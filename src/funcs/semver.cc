// semver and semverCompare, and the *semver.Version object with its methods.
//
// Go's method sets show: the pointer has every method, the plain struct (what IncMajor gives) only
// those with value receivers. Pointers are equal when they are the same one, structs by content.
#include "semver/semver.h"

#include "base/gotext.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/method_table.h"
#include "funcs/objects.h"

namespace pintle::funcs {
namespace {

using semver::Version;
using value::Call;
using value::FuncDef;
using value::Kind;
using value::Object;
using value::Value;

class VersionObject : public Object {
 public:
  VersionObject(Version v, bool pointer) : version_(std::move(v)), pointer_(pointer) {}
  const Version& version() const { return version_; }
  std::string_view go_type() const override {
    return pointer_ ? "*semver.Version" : "semver.Version";
  }
  Kind kind() const override { return pointer_ ? Kind::kPtr : Kind::kStruct; }
  std::string_view kind_name() const override { return pointer_ ? "ptr" : "struct"; }
  bool has_unexported(std::string_view n) const override {
    for (std::string_view f : {"major", "minor", "patch", "pre", "metadata", "original"}) {
      if (f == n) return true;
    }
    return false;
  }
  const FuncDef* method(std::string_view n) const override;
  void print(std::string& out, bool) const override { out += version_.text(); }
  std::vector<value::StructField> struct_fields() const override {
    return {{"major", Value::uint64(version_.major)},
            {"minor", Value::uint64(version_.minor)},
            {"patch", Value::uint64(version_.patch)},
            {"pre", value::str(version_.prerelease)},
            {"metadata", value::str(version_.metadata)},
            {"original", value::str(version_.original)}};
  }
  Value plain() const override { return value::str(version_.text()); }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const VersionObject*>(&o);
    if (this == &o || other == nullptr || pointer_ || other->pointer_) return this == &o;
    return other->version_.text() == version_.text() &&
           other->version_.original == version_.original;
  }

 private:
  Version version_;
  bool pointer_;
};

Value make(Version v, bool pointer) {
  return Value::object(Ref<Object>(new VersionObject(std::move(v), pointer)));
}

const Version& self(const Call& c) {
  return static_cast<VersionObject*>(c[0].as_object())->version();
}

// A changed copy: its original text keeps a leading v.
bool give_changed(Call& c, Version next) {
  const bool prefixed = self(c).original.starts_with('v');
  next.original = (prefixed ? "v" : "") + next.text();
  return c.give(make(std::move(next), false));
}

bool increment(Call& c, uint64_t Version::* part, std::string_view name) {
  Version next = self(c);
  const bool from_prerelease = part == &Version::patch && !next.prerelease.empty();
  next.prerelease.clear();
  next.metadata.clear();
  if (part != &Version::patch) next.patch = 0;
  if (part == &Version::major) next.minor = 0;
  if (!from_prerelease && next.*part == UINT64_MAX) {
    return c.fail(std::string(name) + " version increment would overflow uint64");
  }
  if (!from_prerelease) ++(next.*part);
  return give_changed(c, std::move(next));
}

template <typename Accept>
bool compared(Call& c, Accept accept) {
  const Version* other = version_of(c[1]);
  if (other == nullptr) return c.fail(std::string(kNilPointer));
  return c.give(accept(semver::compare(self(c), *other)));
}

constexpr FuncDef kValueMethods[] = {
    {"IncMajor", "", [](Call& c) { return increment(c, &Version::major, "major"); }},
    {"IncMinor", "", [](Call& c) { return increment(c, &Version::minor, "minor"); }},
    {"IncPatch", "", [](Call& c) { return increment(c, &Version::patch, "patch"); }},
    {"Major", "", [](Call& c) { return c.give(Value::uint64(self(c).major)); }},
    {"MarshalJSON", "",
     [](Call& c) { return c.give(Value::bytes(value::Str("\"" + self(c).text() + "\""))); }},
    {"MarshalText", "", [](Call& c) { return c.give(Value::bytes(value::Str(self(c).text()))); }},
    {"Metadata", "", [](Call& c) { return c.give(value::str(self(c).metadata)); }},
    {"Minor", "", [](Call& c) { return c.give(Value::uint64(self(c).minor)); }},
    {"Patch", "", [](Call& c) { return c.give(Value::uint64(self(c).patch)); }},
    {"Prerelease", "", [](Call& c) { return c.give(value::str(self(c).prerelease)); }},
    {"SetMetadata", "s",
     [](Call& c) {
       Version next = self(c);
       next.metadata = c[1].as_string();
       if (!next.metadata.empty()) {
         if (auto good = semver::check_metadata(next.metadata); !good) return c.fail(good.error());
       }
       return give_changed(c, std::move(next));
     }},
    {"SetPrerelease", "s",
     [](Call& c) {
       Version next = self(c);
       next.prerelease = c[1].as_string();
       if (!next.prerelease.empty()) {
         if (auto good = semver::check_prerelease(next.prerelease); !good) {
           return c.fail(good.error());
         }
       }
       return give_changed(c, std::move(next));
     }},
    {"String", "", [](Call& c) { return c.give(value::str(self(c).text())); }},
    {"Value", "", [](Call& c) { return c.give(value::str(self(c).text())); }},
};

constexpr FuncDef kPointerMethods[] = {
    {"Compare", "S", [](Call& c) { return compared(c, [](int d) { return Value::integer(d); }); }},
    {"Equal", "S",
     [](Call& c) {
       if (version_of(c[1]) == nullptr) return c.give(Value::boolean(false));
       return compared(c, [](int d) { return Value::boolean(d == 0); });
     }},
    {"GreaterThan", "S",
     [](Call& c) { return compared(c, [](int d) { return Value::boolean(d > 0); }); }},
    {"GreaterThanEqual", "S",
     [](Call& c) { return compared(c, [](int d) { return Value::boolean(d >= 0); }); }},
    {"LessThan", "S",
     [](Call& c) { return compared(c, [](int d) { return Value::boolean(d < 0); }); }},
    {"LessThanEqual", "S",
     [](Call& c) { return compared(c, [](int d) { return Value::boolean(d <= 0); }); }},
    {"Original", "", [](Call& c) { return c.give(value::str(self(c).original)); }},
};

const FuncDef* VersionObject::method(std::string_view n) const {
  const FuncDef* f = find_method(kValueMethods, n);
  return f == nullptr && pointer_ ? find_method(kPointerMethods, n) : f;
}

bool parse_version(Call& c) {
  auto v = semver::parse(c[0].as_string());
  return v ? c.give(make(*std::move(v), true)) : c.fail(std::move(v).error());
}

bool compare_version(Call& c) {
  auto constraint = semver::Constraints::parse(c[0].as_string());
  if (!constraint) return c.fail(std::move(constraint).error());
  auto v = semver::parse(c[1].as_string());
  if (!v) return c.fail(std::move(v).error());
  return c.give(Value::boolean(constraint->check(*v)));
}

constexpr FuncDef kRows[] = {
    {"semver", "s", parse_version},
    {"semverCompare", "ss", compare_version},
};

}  // namespace

Value make_version(Version v) { return make(std::move(v), true); }

const Version* version_of(const Value& v) {
  auto* o = v.is_object() ? dynamic_cast<VersionObject*>(v.as_object()) : nullptr;
  return o != nullptr ? &o->version() : nullptr;
}

Family semver_family() { return kRows; }

}  // namespace pintle::funcs
