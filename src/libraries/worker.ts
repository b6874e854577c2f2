import { serve } from "../rpc/serve.ts";
import { artifactsService } from "./artifacts.ts";

export const services = [artifactsService];

export default serve(services);
