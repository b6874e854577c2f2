import { serve } from "../rpc/serve.ts";
import { pingService } from "./ping.ts";

export const services = [pingService];

export default serve(services);
