/** The layers of an image, with the lines that made them. */
import { useState } from "preact/hooks";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { LongText } from "../elements/long_text.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { type BuildStep, buildSteps } from "./documents.ts";
import type { ViewProps } from "./part_links.tsx";
import { OfPlatform } from "./part_links.tsx";
import { useContents } from "./use_image.ts";

/** The steps that show at first. An image can have thousands. */
const firstSteps = 200;

export function Layers({ image, name }: ViewProps) {
  const contents = useContents(image, name);
  return (
    <OfPlatform image={image} name={name} view="layers" what="layers">
      <Answer query={contents} lines={8}>
        {(loaded) =>
          loaded ? (
            <Steps steps={buildSteps(loaded)} />
          ) : (
            <Empty title="The layers are not known">
              <p>The registry does not have the content of this image.</p>
            </Empty>
          )
        }
      </Answer>
    </OfPlatform>
  );
}

function Steps({ steps }: { steps: readonly BuildStep[] }) {
  const [isWhole, setWhole] = useState(steps.length <= firstSteps);
  const layers = steps.flatMap(({ layer }) => layer ?? []);
  if (steps.length === 0) return <Empty title="The image has no layers" />;
  const total = layers.reduce((sum, { size }) => sum + size, 0);
  const largest = Math.max(1, ...layers.map(({ size }) => size));
  const shown = isWhole ? steps : steps.slice(0, firstSteps);
  return (
    <>
      <p class="pale">
        {formatCount(layers.length)} {layers.length === 1 ? "layer" : "layers"},{" "}
        {formatBytes(total)}. The oldest comes first.
      </p>
      <ol class="images-steps">
        {shown.map((step, index) => (
          <Step key={index} step={step} largest={largest} />
        ))}
      </ol>
      {!isWhole && (
        <Button onClick={() => setWhole(true)}>Show all {formatCount(steps.length)} steps</Button>
      )}
    </>
  );
}

function Step({ step, largest }: { step: BuildStep; largest: number }) {
  const { layer, createdBy, created } = step;
  return (
    <li class="images-step">
      <div class="images-step-head">
        {layer ? (
          <>
            <strong class="images-size">{formatBytes(layer.size)}</strong>
            <progress
              class="images-share"
              aria-label="Share of the largest layer"
              max={largest}
              value={layer.size}
            />
            <Digest digest={layer.digest} />
            <span class="images-type" title={layer.mediaType}>
              {layer.mediaType}
            </span>
          </>
        ) : (
          <Badge>No layer</Badge>
        )}
        {created !== undefined && Date.parse(created) > 0 && (
          <span class="images-when">
            <Time time={created} />
          </span>
        )}
      </div>
      {createdBy !== undefined && (
        <code class="images-line">
          <LongText text={createdBy} />
        </code>
      )}
    </li>
  );
}
