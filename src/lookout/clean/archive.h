// Archive: what cleaning is about to remove, as files: one for each piece of it, gzip, a line of
// JSON for each row, `table` first, the rest as the API tells it.
//
// A file is whole and on the disk, with its name, before a row of it goes; an error leaves none.
// After a kill in between a row may stand in two files. Names are of the policy, the time and what
// they hold: none is written over. Thread-safe.
#pragma once

#include <string>

#include "base/result.h"
#include "lookout/store.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::lookout {

std::string archive_lines(const GoingRows& rows);
// Into DIR/kubernetes.event-event-20260102T030405.678Z-17-1016.jsonl.gz; makes the folder, mode 0700.
Status write_archive(const GoingRows& rows, const std::string& folder, sys::Disk& disk,
                     int64_t now_ms);

}  // namespace pintle::lookout
