#include "drydock/printers/cells.h"

#include "base/strings.h"
#include "drydock/kinds/families.h"
#include "json/json.h"

namespace pintle::drydock {

std::vector<Column> columns_of(std::string_view spec) {
  std::vector<Column> out;
  for (std::string_view name : split(spec, "|")) {
    Column c;
    c.type = "string";
    for (; !name.empty() && (name[0] == '#' || name[0] == '*'); name.remove_prefix(1)) {
      if (name[0] == '#') c.type = "integer";
      else c.priority = 1;
    }
    c.name = name;
    out.push_back(std::move(c));
  }
  return out;
}

std::string human_duration(int64_t s) {
  if (s < -1) return "<invalid>";
  if (s < 0) return "0s";
  if (s < 120) return cat(s, "s");
  int64_t m = s / 60;
  if (m < 10) return s % 60 == 0 ? cat(m, "m") : cat(m, "m", s % 60, "s");
  if (m < 180) return cat(m, "m");
  int64_t h = m / 60;
  if (h < 8) return m % 60 == 0 ? cat(h, "h") : cat(h, "h", m % 60, "m");
  if (h < 48) return cat(h, "h");
  if (h < 192) return h % 24 == 0 ? cat(h / 24, "d") : cat(h / 24, "d", h % 24, "h");
  if (h < 24 * 365 * 2) return cat(h / 24, "d");
  int64_t y = h / 24 / 365, d = h / 24 % 365;
  if (h < 24 * 365 * 8) return d == 0 ? cat(y, "y") : cat(y, "y", d, "d");
  return cat(y, "y");
}

int64_t unix_seconds(std::string_view t) {
  if (t.size() < 20) return -1;
  auto num = [&](size_t from, size_t n) {
    int64_t v = 0;
    for (size_t i = from; i < from + n; ++i) {
      if (t[i] < '0' || t[i] > '9') return int64_t{-1};
      v = v * 10 + (t[i] - '0');
    }
    return v;
  };
  int64_t y = num(0, 4), m = num(5, 2), d = num(8, 2), h = num(11, 2), mi = num(14, 2), s = num(17, 2);
  if (y < 0 || m < 1 || d < 1 || h < 0 || mi < 0 || s < 0) return -1;
  y -= m <= 2 ? 1 : 0;
  int64_t era = y / 400, yoe = y - era * 400;
  int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  int64_t days = era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
  return days * 86400 + h * 3600 + mi * 60 + s;
}

std::string age_of(World& world, std::string_view time) {
  int64_t then = unix_seconds(time);
  return then < 0 ? "<unknown>" : human_duration(world.now_ns() / 1'000'000'000 - then);
}

Value age(World& world, const Value& object) {
  return make(age_of(world, text(object, "metadata", "creationTimestamp")));
}

std::string or_none(std::string_view s) { return s.empty() ? "<none>" : std::string(s); }

std::string show(const Value* v) {
  if (!v || v->is_nil()) return "";
  if (v->is_string()) return std::string(v->as_string());
  return json::write(*v).value_or("");
}

std::string label_text(const Value* labels) {
  std::string out;
  for (const auto& e : entries_of(labels)) {
    if (!out.empty()) out += ",";
    out += cat(e.key.view(), "=", show(&e.value));
  }
  return or_none(out);
}

std::string selector_text(const Value* selector) {
  if (!selector) return "<none>";
  std::string out;
  auto add = [&](const std::string& part) { out += out.empty() ? part : "," + part; };
  for (const auto& e : entries(*selector, "matchLabels")) {
    add(cat(e.key.view(), "=", show(&e.value)));
  }
  for (const Value& e : items(*selector, "matchExpressions")) {
    std::string values;
    for (const Value& v : items(e, "values")) values += (values.empty() ? "" : ",") + show(&v);
    std::string_view op = text(e, "operator"), key = text(e, "key");
    if (op == "In") add(cat(key, " in (", values, ")"));
    else if (op == "NotIn") add(cat(key, " notin (", values, ")"));
    else add(op == "Exists" ? std::string(key) : cat("!", key));
  }
  return or_none(out);
}

void add_printers(std::vector<KindRules>& out) {
  std::vector<PrinterRow> rows;
  add_workload_printers(rows);
  add_core_printers(rows);
  add_other_printers(rows);
  for (const PrinterRow& row : rows) {
    KindRules* rules = nullptr;
    for (KindRules& r : out) {
      if (r.group == row.group && r.kind == row.kind) rules = &r;
    }
    if (!rules) {
      out.push_back({.group = row.group, .kind = row.kind});
      rules = &out.back();
    }
    rules->columns = row.columns;
    rules->cells = row.cells;
  }
}

}  // namespace pintle::drydock
