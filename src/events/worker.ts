import { serve } from "../rpc/serve.ts";
import { subscriptionsService } from "./subscriptions.ts";

export const services = [subscriptionsService];

export default serve(services);
