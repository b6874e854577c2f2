import { serve } from "../rpc/serve.ts";
import { imagesService } from "./images.ts";
import { manifestsService } from "./manifests.ts";
import { reposService } from "./repos.ts";
import { tagMovesService } from "./tag_moves.ts";
import { tagsService } from "./tags.ts";

export const services = [
  reposService,
  tagsService,
  imagesService,
  manifestsService,
  tagMovesService,
];

export default serve(services);
