package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// Picture is one that was read.
type Picture struct {
	width, height int // of the whole
	reduced       *image.RGBA
}

// reduce makes each square of so many pixels one, of their mean colour, strip by
// strip: a good filter takes longer for a large picture than decoding does.
func reduce(ctx context.Context, whole image.Image, side int) (*image.RGBA, error) {
	from := whole.Bounds()
	n := max(1, max(from.Dx(), from.Dy())/(2*side))
	out := image.NewRGBA(image.Rect(0, 0, (from.Dx()+n-1)/n, (from.Dy()+n-1)/n))
	strip := image.NewRGBA(image.Rect(0, 0, from.Dx(), n))
	for y := range out.Rect.Dy() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		high := min(n, from.Dy()-y*n)
		draw.Draw(strip, image.Rect(0, 0, from.Dx(), high), whole, from.Min.Add(image.Pt(0, y*n)), draw.Src)
		for x := range out.Rect.Dx() {
			mean(out.Pix[out.PixOffset(x, y):], strip, image.Rect(x*n, 0, min((x+1)*n, from.Dx()), high))
		}
	}
	return out, nil
}

// mean writes the mean of the pixels in the area.
func mean(to []byte, strip *image.RGBA, area image.Rectangle) {
	var sum [4]int
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := strip.Pix[strip.PixOffset(area.Min.X, y):strip.PixOffset(area.Max.X, y)]
		for ; len(row) >= 4; row = row[4:] {
			sum[0] += int(row[0])
			sum[1] += int(row[1])
			sum[2] += int(row[2])
			sum[3] += int(row[3])
		}
	}
	pixels := area.Dx() * area.Dy()
	for i := range sum {
		to[i] = byte((sum[i] + pixels/2) / pixels)
	}
}

// SquarePNG returns the whole picture in the middle of a transparent square.
func (p Picture) SquarePNG(side int) ([]byte, error) {
	square := image.NewNRGBA(image.Rect(0, 0, side, side))
	size := p.within(side)
	corner := image.Pt((side-size.X)/2, (side-size.Y)/2)
	p.draw(square, image.Rectangle{Min: corner, Max: corner.Add(size)}, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, square); err != nil {
		return nil, fmt.Errorf("encoding a picture: %w", err)
	}
	return out.Bytes(), nil
}

// JPEG returns the whole picture, on white where it can be seen through, with
// at most so many pixels on its longer side.
func (p Picture) JPEG(side int) ([]byte, error) {
	size := p.within(min(side, max(p.width, p.height)))
	sheet := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	p.draw(sheet, sheet.Rect, draw.Over)
	return encodeJPEG(sheet)
}

// SquareJPEG returns the square in the middle of the picture, on white where it
// can be seen through, with so many pixels in width and height.
func (p Picture) SquareJPEG(side int) ([]byte, error) {
	middle := p.reduced.Rect
	if over := middle.Dx() - middle.Dy(); over > 0 {
		middle.Min.X, middle.Max.X = over/2, over/2+middle.Dy()
	} else {
		middle.Min.Y, middle.Max.Y = -over/2, -over/2+middle.Dx()
	}
	sheet := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	draw.CatmullRom.Scale(sheet, sheet.Rect, p.reduced, middle, draw.Over, nil)
	return encodeJPEG(sheet)
}

func encodeJPEG(sheet image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, sheet, &jpeg.Options{Quality: 85}); err != nil {
		return nil, fmt.Errorf("encoding a picture: %w", err)
	}
	return out.Bytes(), nil
}

func (p Picture) draw(on draw.Image, where image.Rectangle, how draw.Op) {
	draw.CatmullRom.Scale(on, where, p.reduced, p.reduced.Rect, how, nil)
}

// within is the largest size of the picture's shape in a square.
func (p Picture) within(side int) image.Point {
	if p.width > p.height {
		return image.Pt(side, max(1, side*p.height/p.width))
	}
	return image.Pt(max(1, side*p.width/p.height), side)
}
