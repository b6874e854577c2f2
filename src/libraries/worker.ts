import { serve } from "../rpc/serve.ts";
import { artifactsService } from "./artifacts.ts";
import { leftOut } from "./left_out.v1.ts";

export const services = [artifactsService, ...leftOut];

export default serve(services);
