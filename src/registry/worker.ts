import { serve } from "../rpc/serve.ts";
import { reposService } from "./repos.ts";

export const services = [reposService];

export default serve(services);
