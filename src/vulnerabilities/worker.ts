import { serve } from "../rpc/serve.ts";
import { advisoriesService } from "./advisories.ts";
import { osvRecordsService } from "./osv_records.ts";

export const services = [advisoriesService, osvRecordsService];

export default serve(services);
