import { withRequestId } from "../rpc/request_id.ts";
import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { subscriptionsService } from "./subscriptions.ts";
import { subscriptionsV1 } from "./subscriptions.v1.ts";

export const services = [subscriptionsService, subscriptionsV1];

export default { fetch: withRequestId(serve(services).fetch) } satisfies Worker;
