//! The icon as pixels, drawn after the page's `icon.svg`: a shield with a prompt on it. Panels scale what fits best.

use super::face::Mood;

/// Widths in pixels.
const SIZES: [i32; 4] = [16, 22, 32, 64];
/// Parts of a unit of the drawing, which is 32 units wide.
const PARTS: i32 = 64;
/// Points that are looked at along each side of a pixel.
const LOOKS: i32 = 4;

/// One size of it, as the StatusNotifierItem specification has it: width, height, and ARGB, lowest byte last.
pub type Pixmap = (i32, i32, Vec<u8>);

/// Returns it in all sizes.
pub fn pixmaps(mood: Mood) -> Vec<Pixmap> {
    let shield = shield();
    SIZES.iter().map(|size| (*size, *size, drawn(mood, &shield, *size))).collect()
}

type Point = (i32, i32);

fn drawn(mood: Mood, shield: &[Point], size: i32) -> Vec<u8> {
    let pixels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    pixels.flat_map(|pixel| colour(mood, shield, size, pixel)).collect()
}

/// Returns the mean of what is seen in a pixel.
fn colour(mood: Mood, shield: &[Point], size: i32, (x, y): Point) -> [u8; 4] {
    let mut sum = [0_i32; 3];
    let mut seen = 0;
    for look in 0..LOOKS * LOOKS {
        let at = |pixel: i32, look: i32| {
            (pixel * LOOKS + look) * 32 * PARTS / (size * LOOKS) + 16 * PARTS / (size * LOOKS)
        };
        if let Some(found) = at_point(mood, shield, (at(x, look % LOOKS), at(y, look / LOOKS))) {
            seen += 1;
            for (sum, part) in sum.iter_mut().zip(found) {
                *sum += i32::from(part);
            }
        }
    }
    let byte = |value: i32| u8::try_from(value).unwrap_or(u8::MAX);
    let [red, green, blue] = sum.map(|part| byte(part / seen.max(1)));
    [byte(seen * 255 / (LOOKS * LOOKS)), red, green, blue]
}

/// Returns the colour at a point; none outside of the drawing.
fn at_point(mood: Mood, shield: &[Point], point: Point) -> Option<[u8; 3]> {
    const WHITE: [u8; 3] = [0xff, 0xff, 0xff];
    const AMBER: [u8; 3] = [0xe0, 0x8a, 0x00];
    if mood == Mood::Asks {
        let distance = square(point, (25 * PARTS, 7 * PARTS));
        if distance <= (6 * PARTS).pow(2) {
            return Some(AMBER);
        }
    }
    if !is_inside(shield, point) {
        return None;
    }
    let strokes: &[(Point, Point)] = match mood {
        Mood::Paused => &[((12, 11), (12, 21)), ((20, 11), (20, 21))],
        Mood::Idle | Mood::Asks => {
            &[((10, 11), (15, 16)), ((15, 16), (10, 21)), ((18, 21), (24, 21))]
        }
    };
    // A stroke is 3 units wide.
    let is_stroke =
        strokes.iter().any(|stroke| from_stroke(point, *stroke) <= (PARTS * 3 / 2).pow(2));
    Some(match mood {
        _ if is_stroke => WHITE,
        Mood::Paused => [0x80, 0x80, 0x80],
        Mood::Idle | Mood::Asks => [0x1f, 0x6f, 0x54],
    })
}

const fn square((x, y): Point, (from_x, from_y): Point) -> i32 {
    (x - from_x).pow(2) + (y - from_y).pow(2)
}

/// Returns the square of how far a point is from the nearest one of a stroke, as far as steps along it tell.
fn from_stroke(point: Point, (from, to): (Point, Point)) -> i32 {
    let steps = (0..=PARTS).map(|step| {
        let along = |from: i32, to: i32| from * PARTS + (to - from) * step;
        square(point, (along(from.0, to.0), along(from.1, to.1)))
    });
    steps.min().unwrap_or(i32::MAX)
}

/// Returns the corners of the shield: `M16 2 4 6v9c0 8 5 13 12 15 7-2 12-7 12-15V6z`.
fn shield() -> Vec<Point> {
    let unit = |(x, y): Point| (x * PARTS, y * PARTS);
    let mut corners: Vec<Point> = [(16, 2), (4, 6)].map(unit).to_vec();
    corners.extend(curve([(4, 15), (4, 23), (9, 28), (16, 30)]));
    corners.extend(curve([(16, 30), (23, 28), (28, 23), (28, 15)]));
    corners.push(unit((28, 6)));
    corners
}

/// Returns points of a cubic curve.
fn curve(ends: [Point; 4]) -> impl Iterator<Item = Point> {
    const STEPS: i32 = 16;
    (0..=STEPS).map(move |step| {
        let rest = STEPS - step;
        let weights = [rest.pow(3), 3 * rest.pow(2) * step, 3 * rest * step.pow(2), step.pow(3)];
        let sum = |part: fn(Point) -> i32| {
            let parts = ends.iter().zip(weights).map(|(end, weight)| part(*end) * weight);
            parts.sum::<i32>() * PARTS / STEPS.pow(3)
        };
        (sum(|(x, _)| x), sum(|(_, y)| y))
    })
}

/// Returns whether a point is inside, by how often a line from it to the right crosses the outline.
fn is_inside(corners: &[Point], (x, y): Point) -> bool {
    let next = corners.iter().cycle().skip(1);
    let crossed = corners.iter().zip(next).filter(|((from_x, from_y), (to_x, to_y))| {
        (*from_y > y) != (*to_y > y)
            && x < from_x + (to_x - from_x) * (y - from_y) / (to_y - from_y)
    });
    crossed.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pixel of a size at a place of the drawing.
    fn pixel(mood: Mood, (x, y): Point) -> [u8; 4] {
        let (width, height, bytes) = pixmaps(mood).swap_remove(2);
        assert_eq!((width, height, bytes.len()), (32, 32, 32 * 32 * 4));
        let at = usize::try_from((y * 32 + x) * 4).unwrap();
        bytes[at..at + 4].try_into().unwrap()
    }

    #[test]
    fn it_is_a_shield_with_a_prompt_that_says_how_it_stands() {
        for mood in [Mood::Idle, Mood::Asks, Mood::Paused] {
            for corner in [(0, 0), (0, 31), (31, 31), (3, 20), (16, 0)] {
                assert_eq!(pixel(mood, corner), [0, 0, 0, 0], "{mood:?} {corner:?}");
            }
        }
        let green = [255, 0x1f, 0x6f, 0x54];
        assert_eq!(pixel(Mood::Idle, (6, 10)), green);
        assert_eq!(pixel(Mood::Idle, (14, 16)), [255; 4]);
        assert_eq!(pixel(Mood::Idle, (25, 7)), green);
        assert_eq!(pixel(Mood::Asks, (25, 7)), [255, 0xe0, 0x8a, 0x00]);
        assert_eq!(pixel(Mood::Paused, (6, 10)), [255, 0x80, 0x80, 0x80]);
        assert_eq!(pixel(Mood::Paused, (20, 16)), [255; 4]);
        // Its edge is smooth.
        let (_, _, bytes) = pixmaps(Mood::Idle).swap_remove(0);
        assert!(bytes.chunks(4).any(|pixel| pixel[0] != 0 && pixel[0] != 255));
    }
}
