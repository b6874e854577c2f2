import { serve } from "../rpc/serve.ts";
import { pingService } from "./ping.ts";
import { pingV1 } from "./ping.v1.ts";

export const services = [pingService, pingV1];

export default serve(services);
