// Curves of edges and the placement of their labels.
import { path } from "d3";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A cubic Bezier curve. */
export interface Curve {
  readonly from: Point;
  readonly out: Point;
  readonly in: Point;
  readonly to: Point;
}

/** From a side of one shape to a side of another; -1 leaves to the left, 1 to the right. */
export function sideCurve(
  from: Point,
  fromSide: -1 | 1,
  to: Point,
  toSide: -1 | 1,
  options: { readonly reach: number; readonly bow?: number },
): Curve {
  const bow = options.bow ?? 0;
  return {
    from,
    out: { x: from.x + fromSide * options.reach, y: from.y + bow },
    in: { x: to.x + toSide * options.reach, y: to.y + bow },
    to,
  };
}

export function curvePath(curve: Curve): string {
  const drawn = path();
  drawn.moveTo(round(curve.from.x), round(curve.from.y));
  drawn.bezierCurveTo(
    round(curve.out.x),
    round(curve.out.y),
    round(curve.in.x),
    round(curve.in.y),
    round(curve.to.x),
    round(curve.to.y),
  );
  return drawn.toString();
}

/** The point of a curve at `t` from 0 to 1. */
export function pointAt({ from, out, in: into, to }: Curve, t: number): Point {
  const u = 1 - t;
  const mix = (a: number, b: number, c: number, d: number): number =>
    u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
  return { x: mix(from.x, out.x, into.x, to.x), y: mix(from.y, out.y, into.y, to.y) };
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Places labels along their curves, if possible without covering another label, an obstacle or another curve. */
export function placeLabels(
  labels: readonly { readonly curve: Curve; readonly width: number; readonly height: number }[],
  obstacles: readonly Box[],
): readonly Box[] {
  const placed: Box[] = [];
  for (const { curve, width, height } of labels) {
    const boxes = CANDIDATES.map((t): Box => {
      const { x, y } = pointAt(curve, t);
      return { x: x - width / 2, y: y - height / 2, width, height };
    });
    const others = labels
      .filter((each) => each.curve !== curve)
      .flatMap((each) => dotsOf(each.curve));
    const free = boxes.find(
      (box) => ![...placed, ...obstacles, ...others].some((each) => overlaps(box, each)),
    );
    const apart = boxes.find((box) => !placed.some((each) => overlaps(box, each)));
    const [middle] = boxes;
    const chosen = free ?? apart ?? middle;
    if (chosen) placed.push(chosen);
  }
  return placed;
}

/** A curve as small boxes along it. */
function dotsOf(curve: Curve): readonly Box[] {
  return Array.from({ length: 41 }, (_, n): Box => {
    const { x, y } = pointAt(curve, n / 40);
    return { x: x - 2, y: y - 2, width: 4, height: 4 };
  });
}

const CANDIDATES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
