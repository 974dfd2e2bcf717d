// Helm 4's way through a post-renderer: everything rendered becomes one stream of documents, each
// marked with the file it came from, and what comes back is put into files again by that mark
// (helm pkg/action/action.go annotateAndMerge, splitAndDeannotate).
//
// Helm keeps comments and the order of keys (kyaml); here documents are read and written as values,
// so comments are dropped and keys are sorted. Post-renderers see the same objects.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/manifest.h"

namespace pintle::action {

using PostRenderer = std::function<Result<std::string>(std::string_view)>;

// `files` sorted by path; the result too. Documents without a mark get names of their own.
Result<std::vector<release::RenderedFile>> post_render_files(
    const std::vector<release::RenderedFile>& files, const PostRenderer& run);

}  // namespace pintle::action
