import { serve } from "../rpc/serve.ts";
import { securityAdvisoryService } from "./security_advisory.ts";

export const services = [securityAdvisoryService];

export default serve(services);
