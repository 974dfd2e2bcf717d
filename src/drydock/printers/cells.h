// The building blocks of kubectl's columns (k8s.io/kubernetes/pkg/printers/internalversion).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

using Cells = std::vector<Value>;

// "Ready|Status|#Restarts|Age|*IP": # an integer, * shown with -o wide only.
std::vector<Column> columns_of(std::string_view spec);

// duration.HumanDuration: "5s", "2m30s", "3h12m", "4d2h", "2y10d". Negative beyond 1 s: "<invalid>".
std::string human_duration(int64_t seconds);
// Age of an RFC 3339 time; "<unknown>" when there is none.
std::string age_of(World& world, std::string_view time);
Value age(World& world, const Value& object);
// Unix seconds of an RFC 3339 UTC time, -1 when it is none.
int64_t unix_seconds(std::string_view time);

std::string or_none(std::string_view s);           // "" is "<none>"
std::string show(const Value* v);                  // scalars as Go's %v; nothing is ""
std::string label_text(const Value* labels);       // "a=b,c=d" or "<none>"
std::string selector_text(const Value* selector);  // metav1.FormatLabelSelector

struct PrinterRow {
  std::string_view group, kind;
  const std::vector<Column>& (*columns)();
  std::vector<Value> (*cells)(World& world, const Value& object);
};
void add_workload_printers(std::vector<PrinterRow>& out);
void add_core_printers(std::vector<PrinterRow>& out);
void add_other_printers(std::vector<PrinterRow>& out);

// Each row's columns are made once, at first use.
#define PINTLE_COLUMNS(spec)                                        \
  []() -> const std::vector<Column>& {                              \
    static const std::vector<Column> columns = columns_of(spec);    \
    return columns;                                                 \
  }

}  // namespace pintle::drydock
