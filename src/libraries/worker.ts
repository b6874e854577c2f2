import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { artifactsService } from "./artifacts.ts";
import { artifactsV1 } from "./artifacts.v1.ts";
import { unimplemented } from "./unimplemented.v1.ts";

export const services = [artifactsService, artifactsV1, ...unimplemented];

export default { fetch: workerFetch("libraries", serve(services).fetch) } satisfies Worker;
