package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// maxLine is the limit of a line of --jsonl, in bytes without its ending. It is also the proxy's default limit for a
// body.
const maxLine = 32 << 20

// readAll returns the whole input: see input.
func (p process) readAll(args []string) ([]byte, error) {
	in, err := p.input(args)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// input opens the file in the first argument. For "-", or without an argument, it returns standard input.
func (p process) input(args []string) (io.ReadCloser, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(p.stdin), nil
	}
	return os.Open(args[0])
}

// eachLine writes one line for each line that it reads, immediately and in order. convert appends the output to dst. If
// convert returns a *lineError, eachLine writes the error instead; any other error ends it. Lines are numbered from 1.
func eachLine(in io.Reader, out io.Writer, convert func(n int, line, dst []byte) ([]byte, error)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line, result []byte
	for n := 1; ; n++ {
		var err error
		line, err = readLine(r, line[:0], maxLine)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			result, err = convert(n, line, result[:0])
		}
		var bad *lineError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if bad != nil {
			result = bad.appendJSON(result[:0])
		}
		if _, err := out.Write(append(result, '\n')); err != nil {
			return err
		}
	}
}

// readLine appends the next line to dst, without its ending. The error is io.EOF after the last line, and a *lineError
// for a line above limit bytes, which it still reads to the end.
func readLine(r *bufio.Reader, dst []byte, limit int) ([]byte, error) {
	long := false
	for begun := false; ; begun = true {
		part, err := r.ReadSlice('\n')
		if ended := errors.Is(err, io.EOF); ended && !begun && len(part) == 0 {
			return dst, io.EOF
		} else if err != nil && !ended && !errors.Is(err, bufio.ErrBufferFull) {
			return dst, err
		}
		done := !errors.Is(err, bufio.ErrBufferFull)
		if long = long || len(dst)+len(bytes.TrimRight(part, "\r\n")) > limit; !long {
			dst = append(dst, part...)
		}
		switch {
		case done && long:
			return dst, badLine("the line is longer than %d bytes", limit)
		case done:
			return bytes.TrimRight(dst, "\r\n"), nil
		}
	}
}

// lineError is an error in one line of --jsonl, in the form of an error of the Messages API.
type lineError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func (e *lineError) Error() string { return e.Message }

// appendJSON appends {"error":{"type":…,"message":…}}.
func (e *lineError) appendJSON(dst []byte) []byte {
	b, err := json.Marshal(map[string]*lineError{"error": e}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // two strings always marshal
	}
	return append(dst, b...)
}

// badLine returns a *lineError for a line that cannot be read or makes no sense.
func badLine(format string, args ...any) error {
	return &lineError{messages.ErrorInvalidRequest, fmt.Sprintf(format, args...)}
}

// asLineError returns a *lineError for an invalid request, and other errors unchanged.
func asLineError(err error) error {
	var invalid *messages.InvalidRequestError
	if errors.As(err, &invalid) {
		return badLine("%s", invalid)
	}
	return err
}
