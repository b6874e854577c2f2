import { SubscriptionsService } from "../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { serve } from "../rpc/serve.ts";
import { serviceNotServed } from "../rpc/service.ts";

export const services = [
  serviceNotServed(SubscriptionsService, "the events domain is not served yet"),
];

export default serve(services);
