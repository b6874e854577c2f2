import { serve } from "../rpc/serve.ts";
import { subscriptionsService } from "./subscriptions.ts";
import { subscriptionsV1 } from "./subscriptions.v1.ts";

export const services = [subscriptionsService, subscriptionsV1];

export default serve(services);
