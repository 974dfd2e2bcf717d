#include "chart/documents.h"

#include <algorithm>
#include <string>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::chart {

Status each_document(std::string_view text, const std::function<Status(std::string_view)>& each,
                     std::string_view bad_separator) {
  // Nearly every text is one document, taken as it stands.
  const bool one =
      text.find("\n---") == text.npos && !text.starts_with("---") && text.find('\r') == text.npos;
  if (one) return text.empty() ? ok() : each(text);

  std::string document;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("---")) {
      const std::string_view rest = trim_space(line.substr(3));
      if (!rest.empty() && rest[0] != '#') {
        return Error(Code::kInvalidArgument,
                     cat(bad_separator, "invalid Yaml document separator: ", rest));
      }
      if (!document.empty()) {
        TRY(each(document));
        document.clear();
        continue;
      }
    }
    document.append(line).append("\n");
  }
  return document.empty() ? ok() : each(document);
}

}  // namespace pintle::chart
