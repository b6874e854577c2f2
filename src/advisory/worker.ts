import { SecurityAdvisoryService } from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { serve } from "../rpc/serve.ts";
import { serviceNotServed } from "../rpc/service.ts";

export const services = [
  serviceNotServed(SecurityAdvisoryService, "the advisory domain is not served yet"),
];

export default serve(services);
