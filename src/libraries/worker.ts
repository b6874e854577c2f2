import { serve } from "../rpc/serve.ts";
import { artifactsService } from "./artifacts.ts";
import { artifactsV1 } from "./artifacts.v1.ts";
import { leftOut } from "./left_out.v1.ts";

export const services = [artifactsService, artifactsV1, ...leftOut];

export default serve(services);
