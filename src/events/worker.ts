import { withRequestId } from "../rpc/request_id.ts";
import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { deliveriesService } from "./deliveries/deliveries.ts";
import { handleQueue, handleSchedule } from "./deliveries/wake.ts";
import { subscriptionsService } from "./subscriptions/subscriptions.ts";
import { subscriptionsV1 } from "./subscriptions/subscriptions.v1.ts";

export const services = [subscriptionsService, deliveriesService, subscriptionsV1];

export default {
  fetch: withRequestId(serve(services).fetch),
  queue: handleQueue,
  scheduled: handleSchedule,
} satisfies Worker;
