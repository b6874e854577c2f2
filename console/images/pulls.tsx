/** The pulls of an image, by a tag or by its digest. */
import { Pulls } from "../pulls/pulls.tsx";
import type { ViewProps } from "./part_links.tsx";

export const ImagePulls = ({ image: { repo, digest } }: ViewProps) => (
  <Pulls repo={repo} digest={digest} />
);
