package rolling

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// asker sends orders to one address, and checks every answer. It does not retry.
type asker struct {
	url     string
	client  *http.Client
	history string       // comes before each order
	open    atomic.Int64 // streams
}

// newAsker returns an asker with requests of this many bytes, plus the order.
func newAsker(address string, history int) *asker {
	return &asker{
		url: "http://" + address + "/v1/messages",
		// Connections are kept, as in client libraries.
		client:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}, Timeout: 2 * patience},
		history: strings.Repeat("So it was said before. ", history/23),
	}
}

// post sends an order, and returns the answer if its status is 200.
func (a *asker) post(order string, stream bool) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{
		"model": "m", "max_tokens": 1000, "stream": stream,
		"messages": []any{map[string]any{"role": "user", "content": a.history + order}},
		"tools": []any{map[string]any{"name": "write_file", "input_schema": map[string]any{
			"type": "object", "required": []string{"path", "content"},
			"properties": map[string]any{"path": map[string]any{"type": "string"}, "content": map[string]any{"type": "string"}},
		}}},
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // otherwise the transport would retry if it had written nothing
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return nil, fmt.Errorf("%s %s", response.Status, text)
	}
	return response, nil
}

// ask asks for an answer in one piece.
func (a *asker) ask(order string) error {
	response, err := a.post(order, false)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var m message
	if err := json.NewDecoder(response.Body).Decode(&m); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	return m.check(order)
}

// stream asks for a streamed answer, and checks that it reaches its end.
func (a *asker) stream(order string) error {
	response, err := a.post(order, true)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	a.open.Add(1)
	defer a.open.Add(-1)
	m, err := readStream(response.Body)
	if err != nil {
		return err
	}
	return m.check(order)
}
