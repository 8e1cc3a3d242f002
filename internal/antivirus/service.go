package antivirus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Service is a scanner behind an HTTP address: it is sent the bytes as the body
// of a POST, and answers 200 with a JSON object whose member "infected" is true
// or false, and "finding" the name of what was found.
type Service struct {
	URL    string
	client *http.Client
}

// unnamed is a finding that the service has no name for.
const unnamed = "a virus"

// Scan implements Scanner.
func (s *Service) Scan(ctx context.Context, body io.Reader) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, io.NopCloser(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct {
		Infected *bool
		Finding  string
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer)
	switch {
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the scanner answers %s", response.Status)
	case err != nil:
		return "", fmt.Errorf("the scanner's answer can't be read: %w", err)
	case answer.Infected == nil:
		return "", errors.New("the scanner does not say whether the bytes are infected")
	case !*answer.Infected:
		return "", nil
	case answer.Finding == "":
		return unnamed, nil
	}
	return answer.Finding, nil
}
