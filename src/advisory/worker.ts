import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { securityAdvisoryService } from "./security_advisory.ts";
import { securityAdvisoryV1 } from "./security_advisory.v1.ts";

export const services = [securityAdvisoryService, securityAdvisoryV1];

export default { fetch: workerFetch("advisory", serve(services).fetch) } satisfies Worker;
