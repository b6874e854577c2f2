import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerRun } from "../rpc/traced_execution.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { expiryPlansService } from "./expiry/expiry_plans.ts";
import { runPlans } from "./expiry/schedule.ts";
import { findingsService } from "./findings/findings.ts";
import { packagesService } from "./findings/packages.ts";
import { imageHoldsService } from "./image_holds.ts";
import { imagesService } from "./images/images.ts";
import { manifestsService } from "./images/manifests.ts";
import { imageSummariesService } from "./images/summaries.ts";
import { registryV1 } from "./registry.v1.ts";
import { readmesService } from "./repos/readmes.ts";
import { reposService } from "./repos/repos_service.ts";
import { sbomsService } from "./sboms/sboms.ts";
import { tagRulesService } from "./tag_rules/tag_rules.ts";
import { endOfLifeTagsService } from "./tags/end_of_life.ts";
import { tagHistoryService } from "./tags/tag_history.ts";
import { tagMovesService } from "./tags/tag_moves.ts";
import { tagsService } from "./tags/tags.ts";
import { trustPoliciesService } from "./trust_policies/trust_policies.ts";
import { unimplemented } from "./unimplemented.v1.ts";
import { usagesService } from "./usages.ts";
import { vulnReportsService } from "./vuln_reports/vuln_reports.ts";
import { vulnerabilitiesV1 } from "./vuln_reports/vulnerabilities.v1.ts";

export const services = [
  imageHoldsService,
  tagRulesService,
  trustPoliciesService,
  expiryPlansService,
  reposService,
  readmesService,
  tagsService,
  imagesService,
  manifestsService,
  imageSummariesService,
  sbomsService,
  tagHistoryService,
  tagMovesService,
  endOfLifeTagsService,
  usagesService,
  vulnReportsService,
  findingsService,
  packagesService,
  registryV1,
  vulnerabilitiesV1,
  ...unimplemented,
];

export default {
  fetch: workerFetch("registry", serve(services).fetch),
  scheduled: workerRun("registry", "schedule", (_, env, execution) => runPlans(env, execution)),
} satisfies Worker;
