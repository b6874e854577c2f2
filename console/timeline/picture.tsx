/** The life of the tag as a picture that can be moved and zoomed, with a table's worth of facts at each place. */
import { useEffect, useRef, useState } from "preact/hooks";
import { listen } from "./gestures.ts";
import { HoverCard } from "./hover_card.tsx";
import { keyAction } from "./keys.ts";
import { Markers, type Moments, type Which } from "./markers.ts";
import { Plot, type Scene } from "./plot.ts";
import { spanOf, wholeTime } from "./range.ts";
import { watchSize, watchTheme } from "./watch.ts";
import { recordSentence } from "./words.ts";

interface PictureProps {
  scene: Scene;
  /** Changes when the records or the time change. */
  version: number;
  moments: Moments;
  onChoose: (which: Which, time: number) => void;
  /** Shows the record that was current at a time, or none. The table calls it. */
  pointer: { point(time: number | undefined): void };
  hintId: string;
}

/** The picture is a slider over the records, so the arrow keys step from one to the next. */
export function Picture({ scene, version, moments, onChoose, pointer, hintId }: PictureProps) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>();
  const current = useRef({ moments, onChoose });
  current.current = { moments, onChoose };
  const [pointed, setPointed] = useState<number>();
  const pointedNow = useRef<number>();
  pointedNow.current = pointed;
  pointer.point = setPointed;
  useEffect(() => {
    if (!element.current) return;
    const { stop, plot: made } = begin(element.current, scene, {
      moments: () => current.current.moments,
      pointed: () => pointedNow.current,
      choose: (which, time) => current.current.onChoose(which, time),
      point: setPointed,
    });
    plot.current = made;
    return stop;
  }, [scene]);
  useEffect(() => plot.current?.draw(), [version, moments.first, moments.second, pointed]);
  const { records, now } = scene;
  const index = records.indexAt(pointed ?? moments.first);
  const record = records.get(index < 0 ? records.count - 1 : index);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keyAction(event);
    if (!act) return;
    event.preventDefault();
    act({
      scene,
      index: record?.index ?? 0,
      point: (to) => {
        const time = records.timeOf(to);
        setPointed(time);
        scene.view.reveal(time);
      },
      choose: (which) => record && onChoose(which, record.time),
      leave: () => setPointed(undefined),
    });
  };
  return (
    <div class="timeline-picture">
      <div
        ref={element}
        class="timeline-plot"
        role="slider"
        tabIndex={0}
        aria-label="Records of the tag, from the oldest to the newest"
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, records.count)}
        aria-valuenow={records.count - (record?.index ?? 0)}
        aria-valuetext={record ? recordSentence(record, now()) : "There are no records"}
        aria-describedby={hintId}
        onKeyDown={onKeyDown}
        onBlur={() => setPointed(undefined)}
      />
      {pointed !== undefined && record && plot.current && (
        <HoverCard
          record={record}
          now={now()}
          left={plot.current.over.offsetLeft + plot.current.leftOf(pointed)}
          width={element.current?.clientWidth ?? 0}
        />
      )}
    </div>
  );
}

interface Contact {
  moments(): Moments;
  pointed(): number | undefined;
  choose(which: Which, time: number): void;
  point(time: number | undefined): void;
}

/** Makes the picture in its place, with everything that listens. */
function begin(element: HTMLElement, scene: Scene, contact: Contact) {
  const { view, now } = scene;
  const plot = new Plot(element, scene, () => arrange());
  const within = (clientX: number) => Math.min(wholeTime(plot.timeAt(clientX), view.range), now());
  const markers = new Markers(plot.over, (which, x) => contact.choose(which, within(x)));
  const arrange = () => arrangeMarkers(markers, plot, scene, contact);
  const pixel = () => spanOf(view.range) / plot.width;
  const ends = [
    listen(plot.over, {
      pan: (pixels) => view.pan(-pixels * pixel()),
      zoom: (factor, x) => view.zoom(factor, plot.timeAt(x)),
      hover: (x) => contact.point(x === undefined ? undefined : within(x)),
      choose: (x, isSecond) => contact.choose(isSecond ? "second" : "first", within(x)),
      reset: () => view.reset(),
      isWhole: () => view.isWhole,
    }),
    view.subscribe(() => plot.draw()),
    watchSize(element, () => plot.resize()),
    watchTheme(() => plot.recolor()),
  ];
  const stop = () => {
    for (const end of ends) end();
    plot.destroy();
  };
  return { plot, stop };
}

function arrangeMarkers(
  markers: Markers,
  plot: Plot,
  { records, now }: Scene,
  contact: Contact,
): void {
  const { width } = plot;
  const { first, second } = contact.moments();
  markers.placeNow(plot.leftOf(now()), width);
  markers.placeMoment("first", plot.leftOf(first), width);
  markers.placeMoment("second", second === undefined ? undefined : plot.leftOf(second), width);
  const pointed = contact.pointed();
  const index = pointed === undefined ? -1 : records.indexAt(pointed);
  if (index < 0) {
    markers.placeRecord(undefined);
    return;
  }
  const [time, end] = [records.timeOf(index), records.endOf(index, now())];
  const left = Math.max(0, plot.leftOf(time));
  const right = Math.min(width, plot.leftOf(end));
  const top = Math.max(0, plot.topOf(end - time));
  markers.placeRecord({ left, width: Math.max(2, right - left), top });
}
