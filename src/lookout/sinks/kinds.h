// The sinks' rows, one from each file. Inside the sinks only.
#pragma once

#include "lookout/sinks/sink.h"

namespace pintle::lookout {

extern const SinkKind kDingtalk, kEmail, kFeishu, kFile, kHarbor, kKafka, kNats, kSlack, kStdout,
    kWebhook, kWecom;

}  // namespace pintle::lookout
