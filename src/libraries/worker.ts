import { ArtifactsService } from "../../schema/gen/platform/libraries/v2/artifacts_pb.js";
import { serve } from "../rpc/serve.ts";
import { serviceNotServed } from "../rpc/service.ts";

export const services = [
  serviceNotServed(ArtifactsService, "the libraries domain is not served yet"),
];

export default serve(services);
