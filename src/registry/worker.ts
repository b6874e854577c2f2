import { serve } from "../rpc/serve.ts";
import { imagesService } from "./images.ts";
import { manifestsService } from "./manifests.ts";
import { registryV1 } from "./registry.v1.ts";
import { reposService } from "./repos.ts";
import { sbomsService } from "./sboms.ts";
import { tagMovesService } from "./tag_moves.ts";
import { tagsService } from "./tags.ts";
import { unimplemented } from "./unimplemented.v1.ts";
import { vulnReportsService } from "./vuln_reports.ts";
import { vulnerabilitiesV1 } from "./vulnerabilities.v1.ts";

export const services = [
  reposService,
  tagsService,
  imagesService,
  manifestsService,
  sbomsService,
  tagMovesService,
  vulnReportsService,
  registryV1,
  vulnerabilitiesV1,
  ...unimplemented,
];

export default serve(services);
