// Helm 4's way through a post-renderer: everything rendered becomes one stream of documents, each
// marked with the file it came from, and what comes back is put into files again by that mark
// (helm pkg/action/action.go annotateAndMerge, splitAndDeannotate).
//
// Comments, the order of keys and styles stay, as kyaml keeps them (yaml/restyle.h). A document
// that cannot be restyled, and the objects of a List, are written as values: sorted keys, no
// comments.
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
