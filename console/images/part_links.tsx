/** Leads from an index to the same view of its platforms, because only these have layers, packages and findings. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { Section } from "../elements/page.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { type ImageAddress, useSummaries } from "./use_image.ts";

/** An image, and the name of its repository. */
export interface ViewProps {
  image: ImageAddress;
  name: string;
}

interface OfPlatformProps extends ViewProps {
  view: string;
  /** The contents of a platform, such as `layers`. */
  what: string;
  children: ComponentChildren;
}

/** Shows its children, or links to the platforms if the image is an index. */
export function OfPlatform({ image, view, what, children }: OfPlatformProps) {
  const { data, isPending } = useSummaries(image.repo, [image.digest]);
  if (isPending) return <Loading lines={8} />;
  const summary = data?.get(image.digest);
  // The media types of an index of OCI, and of a list of Docker.
  const isIndex = /\.(?:index|list)\./.test(summary?.mediaType ?? "");
  if (!isIndex) return <>{children}</>;
  const parts = (summary?.platforms ?? []).map(({ digest = "", architecture = "", os = "" }) => ({
    digest,
    platform: [os, architecture].filter(Boolean).join("/"),
  }));
  return <PartLinks image={image} parts={parts} view={view} what={what} />;
}

interface PartLinksProps {
  image: ImageAddress;
  parts: readonly { digest: string; platform: string }[];
  view: string;
  what: string;
}

function PartLinks({ image, parts, view, what }: PartLinksProps) {
  if (parts.length === 0) return <Empty title="The index names no platform" />;
  return (
    <Section title="Choose a platform">
      <p class="pale">This is an index. Each of its platforms has {what} of its own.</p>
      <ul class="images-parts">
        {parts.map(({ digest, platform }) => (
          <li key={`${digest} ${platform}`}>
            <Link href={addresses.image(image.repo, digest, { view, index: image.digest })}>
              <bdi>{platform}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
