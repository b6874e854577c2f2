import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerRun } from "../rpc/traced_execution.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { deliveriesService } from "./deliveries/deliveries.ts";
import { handleQueue, handleSchedule } from "./deliveries/wake.ts";
import { eventsService } from "./events/events.ts";
import { streamEvents, streamPath } from "./events/stream.ts";
import { subscriptionsService } from "./subscriptions/subscriptions.ts";
import { subscriptionsV1 } from "./subscriptions/subscriptions.v1.ts";

export const services = [eventsService, subscriptionsService, deliveriesService, subscriptionsV1];

const rpcs = serve(services, (worker) => ({
  fetch: (request, env, execution) =>
    isStream(request)
      ? streamEvents(worker.fetch, request, env, execution)
      : worker.fetch(request, env, execution),
}));

const isStream = ({ method, url }: Request) =>
  method === "GET" && new URL(url).pathname === streamPath;

export default {
  fetch: workerFetch("events", rpcs.fetch),
  queue: workerRun("events", "queue", handleQueue),
  scheduled: workerRun("events", "schedule", handleSchedule),
} satisfies Worker;
